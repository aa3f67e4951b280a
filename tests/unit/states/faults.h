#pragma once

#include <string>

// Makes file operations of this process fail, or end it. The test program
// defines open, write, fsync, close, rename, renameat2 and mkdir itself, in
// place of the C library's: what is tested needs no hook. fsync only notes
// that it was called; a slow disk would make the tests slow.
namespace vitrain::faults {

enum class Mode {
  kOff, // nothing is counted
  kCount, // operations are counted and watched
  kFail, // the n-th operation fails
  kCrash, // the process ends before the n-th operation
  kShort, // every write takes half of what it is given
};

// Starts counting at 0. `error`: errno of the failure.
void arm(Mode mode, int n = 0, int error = 0);
// Number of operations since arm(); stops counting.
int disarm();
// renameat2 is answered with EINVAL, as file systems that cannot exchange do.
void refuse_exchange(bool refuse);
// What was not durable when it had to be, since arm(): a file or folder renamed
// before its content was synced, or never synced at all. "" when all was well.
std::string undurable();

constexpr int kCrashExit = 77;

} // namespace vitrain::faults
