#pragma once

#include "config/foreign/given_words.h"
#include "config/foreign/words.h"

namespace vitrain::config::foreign {

// Functions for Program::translate.
void translate_timm(const Words& words, Translation& to);
void translate_torchvision(const Words& words, Translation& to);

} // namespace vitrain::config::foreign
