#!/bin/sh
# A compiler launcher (CMAKE_CXX_COMPILER_LAUNCHER) for a second build of the same sources:
# takes objects, and what they depend on, from folders that compiled_already.py made of the
# first build, and compiles what is not there.
# usage: compiled_already.sh OBJECTS DEPENDS COMMAND...
set -eu
objects=$1
all_depends=$2
shift 2
object=
depends=
previous=
for word in "$@"; do
  case $previous in
    -o) object=$word ;;
    -MF) depends=$word ;;
  esac
  previous=$word
done
if [ -z "$object" ] || [ ! -e "$objects/$object" ] || [ ! -e "$all_depends/$object.d" ]; then
  exec "$@"
fi
case $object in
  *.gch) : >"$object" ;; # a precompiled header, which nothing reads now
  *) cp "$objects/$object" "$object" ;;
esac
cp "$all_depends/$object.d" "$depends"
