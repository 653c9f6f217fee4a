#!/bin/sh
# bindgen.sh HEADER DIRECTORY: writes what harp.h declares to DIRECTORY as types.rs, functions.rs and table.rs (struct harp_api), by
# bindgen 0.60, which is Debian 12's. ./generate.py calls it.
set -eu
options="--allowlist-type harp_.* --allowlist-var HARP_.* --allowlist-function harp_.* --ctypes-prefix std::os::raw --no-doc-comments
  --size_t-is-usize --default-macro-constant-type signed"
# shellcheck disable=SC2086
make() { bindgen $options "$@" -- -std=c99; }
make --generate types,vars --blocklist-type harp_api "$1" -o "$2/types.rs"
make --generate functions --blocklist-type '.*' "$1" -o "$2/functions.rs"
# struct harp_api, without bindgen's layout tests: those of its 350 fields would be four times as long as everything else. Instead,
# tests/table.rs compares the table with that of the library.
bindgen --allowlist-type harp_api --no-recursive-allowlist --no-layout-tests --ctypes-prefix std::os::raw --no-doc-comments \
  --size_t-is-usize --generate types "$1" -o "$2/table.rs" -- -std=c99
