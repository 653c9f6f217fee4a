// harp_get_api() returns a table of all functions of harp.h, for plug-ins that load harp with dlopen.
#include "harp.h"

namespace {

constexpr harp_api kApi = {
    sizeof(harp_api),
    HARP_API_VERSION,
    0,
#include "capi/api_table.inc"
};

}  // namespace

const harp_api* harp_get_api(uint32_t version) { return version >= 1 && version <= HARP_API_VERSION ? &kApi : nullptr; }
