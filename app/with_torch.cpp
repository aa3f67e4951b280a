#include "program/run.h"

int main(int argc, char** argv) {
  return vitrain::program::run(argc, argv);
}
