/*
 * NVML, which monitors ask: of the described card what is known of it, of its memory what the processes of the program use. The card is
 * idle and cool, for programs that wait until it is. What is not known answers as on cards that lack it; settings are taken and change nothing. Functions that
 * are not here are missing, as in a driver that is older than the program. Declarations are those of NVML 13; names with and
 * without the version of a function are the same function where their structures are.
 *
 * nvmlInit, which nothing but PyTorch's count of devices asks for, is left out: it would count the devices of a host, while CUDA has
 * those that the program may see, and PyTorch asks CUDA where it is missing.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "mock.h"

enum { SUCCESS = 0, INVALID_ARGUMENT = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, INSUFFICIENT_SIZE = 7, VERSION_MISMATCH = 25, MAX_DEVICES = 64 };

/* The release of the driver that came with CUDA 13.0, whose version the mock driver has. */
static const char DRIVER[] = "580.65.06";

static const unsigned IDLE_CELSIUS = 30, IDLE_SHARE = 8;

int cudaGetDeviceCount(int *count);
int cudaGetDeviceProperties(void *properties, int device);
int cudaMemGetInfo(size_t *free, size_t *total);

#define SAME(name, other) EXPORT __typeof__(other) name __attribute__((alias(#other)));

static int text(char *to, unsigned room, const char *from) {
  if (strlen(from) >= room) return INSUFFICIENT_SIZE;
  strcpy(to, from);
  return SUCCESS;
}

/* ---- The library ---- */

EXPORT int nvmlInit_v2(void) { return SUCCESS; }
EXPORT int nvmlInitWithFlags(unsigned flags) { (void)flags; return SUCCESS; }
EXPORT int nvmlShutdown(void) { return SUCCESS; }
EXPORT const char *nvmlErrorString(int code) {
  switch (code) {
    case SUCCESS: return "The operation was successful";
    case 1: return "Uninitialized";
    case INVALID_ARGUMENT: return "Invalid Argument";
    case NOT_SUPPORTED: return "Not Supported";
    case 4: return "Insufficient Permissions";
    case NOT_FOUND: return "Not Found";
    case INSUFFICIENT_SIZE: return "Insufficient Size";
    case 9: return "Driver Not Loaded";
    case 12: return "NVML Shared Library Not Found";
    case 13: return "Function Not Found";
    case VERSION_MISMATCH: return "Argument version mismatch";
    default: return "Unknown Error";
  }
}
EXPORT int nvmlSystemGetDriverVersion(char *to, unsigned room) { return text(to, room, DRIVER); }
EXPORT int nvmlSystemGetNVMLVersion(char *to, unsigned room) {
  char version[32];
  snprintf(version, sizeof version, "13.%s", DRIVER);
  return text(to, room, version);
}
EXPORT int nvmlSystemGetCudaDriverVersion_v2(int *version) { *version = 13000; return SUCCESS; }
SAME(nvmlSystemGetCudaDriverVersion, nvmlSystemGetCudaDriverVersion_v2)
EXPORT int nvmlSystemGetProcessName(unsigned process, char *to, unsigned room) {
  char link[32], path[4096];
  snprintf(link, sizeof link, "/proc/%u/exe", process);
  ssize_t bytes = readlink(link, path, sizeof path - 1);
  if (bytes < 0) return NOT_FOUND;
  path[bytes] = 0;
  return text(to, room, path);
}
EXPORT int nvmlUnitGetCount(unsigned *count) { *count = 0; return SUCCESS; }

/* ---- Devices ---- */

static char handles[MAX_DEVICES];

static unsigned index_of(const void *device) { return (unsigned)((const char *)device - handles); }

/*
 * The device of CUDA with the number of one of NVML, or -1 where the program does not see it: NVML counts those of the host, of which
 * CUDA_VISIBLE_DEVICES names some. Names that are no numbers mean the first ones.
 */
static int cuda_device(unsigned device) {
  int count;
  cudaGetDeviceCount(&count);
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  if (!visible || *visible < '0' || *visible > '9') return (int)device < count ? (int)device : -1;
  for (int i = 0; i < count && *visible >= '0' && *visible <= '9'; i++) {
    char *end;
    if (strtoul(visible, &end, 10) == device) return i;
    visible = end + (*end == ',');
  }
  return -1;
}

/* Devices of the host: as many as CUDA shows, or as the program names. */
static unsigned device_count(void) {
  int count;
  cudaGetDeviceCount(&count);
  const char *visible = getenv("CUDA_VISIBLE_DEVICES");
  for (const char *at = visible; at && *at >= '0' && *at <= '9';) {
    char *end;
    unsigned long named = strtoul(at, &end, 10);
    if (named < MAX_DEVICES && (int)named >= count) count = (int)named + 1;
    at = *end == ',' ? end + 1 : NULL;
  }
  return (unsigned)count;
}

EXPORT int nvmlDeviceGetCount_v2(unsigned *count) { *count = device_count(); return SUCCESS; }
SAME(nvmlDeviceGetCount, nvmlDeviceGetCount_v2)
EXPORT int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device) {
  if (index >= device_count()) return INVALID_ARGUMENT;
  *device = handles + index;
  return SUCCESS;
}
SAME(nvmlDeviceGetHandleByIndex, nvmlDeviceGetHandleByIndex_v2)
/* As the driver's devices name themselves: cuDeviceGetUuid_v2, cudaDeviceGetPCIBusId. */
EXPORT int nvmlDeviceGetUUID(const void *device, char *to, unsigned room) {
  char name[64];
  snprintf(name, sizeof name, "GPU-%02x000000-0000-0000-0000-000000000000", index_of(device));
  return text(to, room, name);
}
EXPORT int nvmlDeviceGetHandleByUUID(const char *uuid, void **device) {
  char own[64];
  for (unsigned i = 0; i < device_count(); i++) {
    nvmlDeviceGetUUID(handles + i, own, sizeof own);
    if (!strcmp(uuid, own)) return nvmlDeviceGetHandleByIndex_v2(i, device);
  }
  return NOT_FOUND;
}
EXPORT int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device) {
  unsigned domain, bus;
  if (sscanf(id, "%x:%x:", &domain, &bus) != 2) return INVALID_ARGUMENT;
  return nvmlDeviceGetHandleByIndex_v2(bus, device) == SUCCESS ? SUCCESS : NOT_FOUND;
}
SAME(nvmlDeviceGetHandleByPciBusId, nvmlDeviceGetHandleByPciBusId_v2)
EXPORT int nvmlDeviceGetHandleBySerial(void) { return NOT_FOUND; }
EXPORT int nvmlDeviceGetIndex(const void *device, unsigned *index) { *index = index_of(device); return SUCCESS; }
SAME(nvmlDeviceGetMinorNumber, nvmlDeviceGetIndex)

static const char *name_of(void) {
  static char properties[2048];
  cudaGetDeviceProperties(properties, 0);
  return properties;
}
static int is_named(const char *part) { return strstr(name_of(), part) != NULL; }

EXPORT int nvmlDeviceGetName(const void *device, char *to, unsigned room) { (void)device; return text(to, room, name_of()); }
EXPORT int nvmlDeviceGetBrand(const void *device, int *brand) {
  (void)device;
  *brand = is_named("GeForce") ? 5 : is_named("RTX") ? 13 : is_named("Tesla") ? 2 : 14;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetArchitecture(const void *device, unsigned *architecture) {
  (void)device;
  int capability = standin_capability();
  *architecture = capability < 75 ? 5 : capability < 80 ? 6 : capability < 89 ? 7 : capability < 90 ? 8 : capability < 100 ? 9 : 10;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetCudaComputeCapability(const void *device, int *major, int *minor) {
  (void)device;
  *major = standin_capability() / 10;
  *minor = standin_capability() % 10;
  return SUCCESS;
}
/* Cores of a multiprocessor: CUDA C++ Programming Guide 13.0, "Compute Capabilities". */
EXPORT int nvmlDeviceGetNumGpuCores(const void *device, unsigned *cores) {
  (void)device;
  *cores = (unsigned)standin_attribute(16) * (standin_capability() <= 80 ? 64 : 128);
  return SUCCESS;
}

typedef struct {
  char legacy[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char id[32];
} Pci;
EXPORT int nvmlDeviceGetPciInfo_v3(const void *device, Pci *pci) {
  *pci = (Pci){.bus = index_of(device)};
  snprintf(pci->legacy, sizeof pci->legacy, "0000:%02X:00.0", pci->bus & 255);
  snprintf(pci->id, sizeof pci->id, "00000000:%02X:00.0", pci->bus);
  return SUCCESS;
}
EXPORT int nvmlDeviceGetPciInfo_v2(const void *device, void *old) {
  Pci pci;
  nvmlDeviceGetPciInfo_v3(device, &pci);
  memset(old, 0, 52);
  memcpy(old, &pci, offsetof(Pci, id));
  return SUCCESS;
}
EXPORT int nvmlDeviceOnSameBoard(const void *one, const void *two, int *same) { *same = one == two; return SUCCESS; }
EXPORT int nvmlDeviceGetP2PStatus(const void *one, const void *two, int capability, int *status) {
  (void)one; (void)two; (void)capability;
  *status = 5; /* not supported, as cudaDeviceCanAccessPeer says */
  return SUCCESS;
}

/* ---- Memory and processes ---- */

typedef struct {
  unsigned process;
  unsigned long long bytes;
} Process;
typedef struct {
  unsigned process;
  unsigned long long bytes;
  unsigned instance, compute_instance;
} InstanceProcess;

static unsigned long long used_bytes(const void *device) {
  unsigned long long sum = 0, bytes;
  unsigned process;
  int at = 0, found, own = cuda_device(index_of(device));
  while (own >= 0 && (found = standin_usage(at++, own, &process, &bytes)) >= 0)
    if (found) sum += bytes;
  return sum;
}

typedef struct {
  unsigned long long total, free, used;
} Memory;
EXPORT int nvmlDeviceGetMemoryInfo(const void *device, Memory *memory) {
  size_t free, total;
  cudaMemGetInfo(&free, &total);
  unsigned long long used = used_bytes(device);
  if (used > total) used = total;
  *memory = (Memory){total, total - used, used};
  return SUCCESS;
}

typedef struct {
  unsigned version;
  unsigned long long total, reserved, free, used;
} Memory2;
EXPORT int nvmlDeviceGetMemoryInfo_v2(const void *device, Memory2 *memory) {
  if (memory->version != (sizeof *memory | 2u << 24)) return VERSION_MISMATCH;
  Memory plain;
  nvmlDeviceGetMemoryInfo(device, &plain);
  *memory = (Memory2){memory->version, plain.total, 0, plain.free, plain.used};
  return SUCCESS;
}

static int list_processes(const void *device, unsigned *count, Process *plain, InstanceProcess *with_instance) {
  unsigned room = *count, process;
  unsigned long long bytes;
  int at = 0, found, own = cuda_device(index_of(device));
  *count = 0;
  while (own >= 0 && (found = standin_usage(at++, own, &process, &bytes)) >= 0) {
    if (!found) continue;
    if (*count < room && plain) plain[*count] = (Process){process, bytes};
    if (*count < room && with_instance) with_instance[*count] = (InstanceProcess){process, bytes, ~0u, ~0u};
    ++*count;
  }
  return *count > room ? INSUFFICIENT_SIZE : SUCCESS;
}
EXPORT int nvmlDeviceGetComputeRunningProcesses(const void *device, unsigned *count, Process *processes) {
  return list_processes(device, count, processes, NULL);
}
EXPORT int nvmlDeviceGetComputeRunningProcesses_v2(const void *device, unsigned *count, InstanceProcess *processes) {
  return list_processes(device, count, NULL, processes);
}
SAME(nvmlDeviceGetComputeRunningProcesses_v3, nvmlDeviceGetComputeRunningProcesses_v2)
EXPORT int nvmlDeviceGetGraphicsRunningProcesses(const void *device, unsigned *count) { (void)device; *count = 0; return SUCCESS; }
SAME(nvmlDeviceGetGraphicsRunningProcesses_v2, nvmlDeviceGetGraphicsRunningProcesses)
SAME(nvmlDeviceGetGraphicsRunningProcesses_v3, nvmlDeviceGetGraphicsRunningProcesses)
SAME(nvmlDeviceGetMPSComputeRunningProcesses, nvmlDeviceGetGraphicsRunningProcesses)
SAME(nvmlDeviceGetMPSComputeRunningProcesses_v2, nvmlDeviceGetGraphicsRunningProcesses)
SAME(nvmlDeviceGetMPSComputeRunningProcesses_v3, nvmlDeviceGetGraphicsRunningProcesses)
/* No process was busy since the last time. */
EXPORT int nvmlDeviceGetProcessUtilization(void) { return NOT_FOUND; }

/* ---- What it does ---- */

EXPORT int nvmlDeviceGetUtilizationRates(const void *device, unsigned rates[2]) { (void)device; rates[0] = rates[1] = 0; return SUCCESS; }
EXPORT int nvmlDeviceGetEncoderUtilization(const void *device, unsigned *share, unsigned *period) {
  (void)device;
  *share = 0;
  *period = 167000; /* microseconds */
  return SUCCESS;
}
SAME(nvmlDeviceGetDecoderUtilization, nvmlDeviceGetEncoderUtilization)
EXPORT int nvmlDeviceGetTemperature(const void *device, int sensor, unsigned *celsius) {
  (void)device;
  *celsius = IDLE_CELSIUS;
  return sensor ? INVALID_ARGUMENT : SUCCESS;
}

typedef struct {
  unsigned version;
  int sensor, celsius;
} Temperature;
EXPORT int nvmlDeviceGetTemperatureV(const void *device, Temperature *temperature) {
  (void)device;
  temperature->celsius = (int)IDLE_CELSIUS;
  return temperature->sensor ? INVALID_ARGUMENT : SUCCESS;
}

/* Milliwatts. */
EXPORT int nvmlDeviceGetPowerManagementLimit(const void *device, unsigned *milliwatts) {
  (void)device;
  *milliwatts = 1000 * (unsigned)standin_watts();
  return SUCCESS;
}
SAME(nvmlDeviceGetPowerManagementDefaultLimit, nvmlDeviceGetPowerManagementLimit)
SAME(nvmlDeviceGetEnforcedPowerLimit, nvmlDeviceGetPowerManagementLimit)
EXPORT int nvmlDeviceGetPowerUsage(const void *device, unsigned *milliwatts) {
  nvmlDeviceGetPowerManagementLimit(device, milliwatts);
  *milliwatts /= IDLE_SHARE;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetTotalEnergyConsumption(const void *device, unsigned long long *millijoules) {
  struct timespec now;
  unsigned milliwatts;
  clock_gettime(CLOCK_MONOTONIC, &now);
  nvmlDeviceGetPowerUsage(device, &milliwatts);
  *millijoules = (unsigned long long)now.tv_sec * milliwatts + (unsigned long long)now.tv_nsec / 1000000 * milliwatts / 1000;
  return SUCCESS;
}

/* MHz: of graphics, multiprocessors, memory, video. */
EXPORT int nvmlDeviceGetClockInfo(const void *device, int type, unsigned *megahertz) {
  (void)device;
  if (type < 0 || type > 3) return INVALID_ARGUMENT;
  *megahertz = (unsigned)standin_attribute(type == 2 ? 36 : 13) / 1000;
  return SUCCESS;
}
SAME(nvmlDeviceGetMaxClockInfo, nvmlDeviceGetClockInfo)
SAME(nvmlDeviceGetApplicationsClock, nvmlDeviceGetClockInfo)
SAME(nvmlDeviceGetDefaultApplicationsClock, nvmlDeviceGetClockInfo)
EXPORT int nvmlDeviceGetClock(const void *device, int type, int id, unsigned *megahertz) {
  (void)id;
  return nvmlDeviceGetClockInfo(device, type, megahertz);
}

/* Reasons for slower clocks, of which there are none, in a word of 64 bits. */
EXPORT int nvmlDeviceGetCurrentClocksThrottleReasons(const void *device, unsigned long long *reasons) { (void)device; *reasons = 0; return SUCCESS; }
SAME(nvmlDeviceGetCurrentClocksEventReasons, nvmlDeviceGetCurrentClocksThrottleReasons)

/* ---- Modes ---- */

#define IS(name, value) EXPORT int name(const void *device, unsigned *state) { (void)device; *state = value; return SUCCESS; }
IS(nvmlDeviceGetPerformanceState, 0)
IS(nvmlDeviceGetPowerState, 0)
IS(nvmlDeviceGetPowerManagementMode, 1)
IS(nvmlDeviceGetPersistenceMode, 1)
IS(nvmlDeviceGetComputeMode, 0)
IS(nvmlDeviceGetDisplayMode, 0)
IS(nvmlDeviceGetDisplayActive, 0)
IS(nvmlDeviceGetMultiGpuBoard, 0)
IS(nvmlDeviceGetMaxMigDeviceCount, 0)
IS(nvmlDeviceGetVirtualizationMode, 0)
IS(nvmlDeviceIsMigDeviceHandle, 0)

/* Off on cards that could be divided: A100, A30, Hopper and B200. */
EXPORT int nvmlDeviceGetMigMode(const void *device, unsigned *current, unsigned *pending) {
  (void)device;
  int capability = standin_capability();
  if (capability != 80 && (capability < 90 || capability >= 120)) return NOT_SUPPORTED;
  *current = *pending = 0;
  return SUCCESS;
}

/* Every processor of the host, in words of a long. */
EXPORT int nvmlDeviceGetCpuAffinity(const void *device, unsigned words, unsigned long *set) {
  (void)device;
  long processors = sysconf(_SC_NPROCESSORS_CONF), bits = 8 * (long)sizeof *set;
  memset(set, 0, words * sizeof *set);
  for (long i = 0; i < processors && i < (long)words * bits; i++) set[i / bits] |= 1ul << i % bits;
  return SUCCESS;
}
EXPORT int nvmlDeviceGetCpuAffinityWithinScope(const void *device, unsigned words, unsigned long *set, unsigned scope) {
  (void)scope;
  return nvmlDeviceGetCpuAffinity(device, words, set);
}

typedef struct {
  unsigned id, scope;
  long long time, latency;
  int type, code;
  unsigned long long value;
} Field;
EXPORT int nvmlDeviceGetFieldValues(const void *device, int count, Field *fields) {
  (void)device;
  for (int i = 0; i < count; i++) fields[i].code = NOT_SUPPORTED;
  return SUCCESS;
}

EXPORT int nvmlDeviceGetGpuFabricInfoV(void) { return SUCCESS; } /* state 0: there is no fabric */

/* ---- Settings ---- */

#define TAKEN(name) EXPORT int name(void) { return SUCCESS; }
TAKEN(nvmlDeviceClearCpuAffinity)
TAKEN(nvmlDeviceResetApplicationsClocks)
TAKEN(nvmlDeviceResetGpuLockedClocks)
TAKEN(nvmlDeviceResetMemoryLockedClocks)
TAKEN(nvmlDeviceSetApplicationsClocks)
TAKEN(nvmlDeviceSetComputeMode)
TAKEN(nvmlDeviceSetCpuAffinity)
TAKEN(nvmlDeviceSetGpuLockedClocks)
TAKEN(nvmlDeviceSetMemoryLockedClocks)
TAKEN(nvmlDeviceSetPersistenceMode)
TAKEN(nvmlDeviceSetPowerManagementLimit)

/* ---- Not known of the card ---- */

#define UNKNOWN(name) EXPORT int name(void) { return NOT_SUPPORTED; }
UNKNOWN(nvmlDeviceGetAccountingMode)
UNKNOWN(nvmlDeviceGetAccountingPids)
UNKNOWN(nvmlDeviceGetAccountingStats)
UNKNOWN(nvmlDeviceGetAttributes_v2)
UNKNOWN(nvmlDeviceGetAutoBoostedClocksEnabled)
UNKNOWN(nvmlDeviceGetBAR1MemoryInfo)
UNKNOWN(nvmlDeviceGetBoardId)
UNKNOWN(nvmlDeviceGetBoardPartNumber)
UNKNOWN(nvmlDeviceGetBridgeChipInfo)
UNKNOWN(nvmlDeviceGetComputeInstanceId)
UNKNOWN(nvmlDeviceGetConfComputeMemSizeInfo)
UNKNOWN(nvmlDeviceGetCurrPcieLinkGeneration)
UNKNOWN(nvmlDeviceGetCurrPcieLinkWidth)
UNKNOWN(nvmlDeviceGetDefaultEccMode)
UNKNOWN(nvmlDeviceGetDetailedEccErrors)
UNKNOWN(nvmlDeviceGetDeviceHandleFromMigDeviceHandle)
UNKNOWN(nvmlDeviceGetDriverModel)
UNKNOWN(nvmlDeviceGetEccMode)
UNKNOWN(nvmlDeviceGetEncoderCapacity)
UNKNOWN(nvmlDeviceGetEncoderStats)
UNKNOWN(nvmlDeviceGetFanSpeed)
UNKNOWN(nvmlDeviceGetFanSpeed_v2)
UNKNOWN(nvmlDeviceGetGpuInstanceId)
UNKNOWN(nvmlDeviceGetGpuMaxPcieLinkGeneration)
UNKNOWN(nvmlDeviceGetGpuOperationMode)
UNKNOWN(nvmlDeviceGetGspFirmwareVersion)
UNKNOWN(nvmlDeviceGetInforomImageVersion)
UNKNOWN(nvmlDeviceGetInforomVersion)
UNKNOWN(nvmlDeviceGetIrqNum)
UNKNOWN(nvmlDeviceGetMaxCustomerBoostClock)
UNKNOWN(nvmlDeviceGetMaxPcieLinkGeneration)
UNKNOWN(nvmlDeviceGetMaxPcieLinkWidth)
UNKNOWN(nvmlDeviceGetMemoryAffinity)
UNKNOWN(nvmlDeviceGetMemoryBusWidth)
UNKNOWN(nvmlDeviceGetMemoryErrorCounter)
UNKNOWN(nvmlDeviceGetMigDeviceHandleByIndex)
UNKNOWN(nvmlDeviceGetNumFans)
UNKNOWN(nvmlDeviceGetNvLinkCapability)
UNKNOWN(nvmlDeviceGetNvLinkErrorCounter)
UNKNOWN(nvmlDeviceGetNvLinkRemoteDeviceType)
UNKNOWN(nvmlDeviceGetNvLinkRemotePciInfo_v2)
UNKNOWN(nvmlDeviceGetNvLinkState)
UNKNOWN(nvmlDeviceGetNvLinkUtilizationControl)
UNKNOWN(nvmlDeviceGetNvLinkUtilizationCounter)
UNKNOWN(nvmlDeviceGetNvLinkVersion)
UNKNOWN(nvmlDeviceGetPcieReplayCounter)
UNKNOWN(nvmlDeviceGetPcieSpeed)
UNKNOWN(nvmlDeviceGetPcieThroughput)
UNKNOWN(nvmlDeviceGetPowerManagementLimitConstraints)
UNKNOWN(nvmlDeviceGetRemappedRows)
UNKNOWN(nvmlDeviceGetRetiredPages)
UNKNOWN(nvmlDeviceGetRetiredPages_v2)
UNKNOWN(nvmlDeviceGetRetiredPagesPendingStatus)
UNKNOWN(nvmlDeviceGetSamples)
UNKNOWN(nvmlDeviceGetSerial)
UNKNOWN(nvmlDeviceGetSupportedClocksEventReasons)
UNKNOWN(nvmlDeviceGetSupportedClocksThrottleReasons)
UNKNOWN(nvmlDeviceGetSupportedEventTypes)
UNKNOWN(nvmlDeviceGetSupportedGraphicsClocks)
UNKNOWN(nvmlDeviceGetSupportedMemoryClocks)
UNKNOWN(nvmlDeviceGetTemperatureThreshold)
UNKNOWN(nvmlDeviceGetThermalSettings)
UNKNOWN(nvmlDeviceGetTopologyCommonAncestor)
UNKNOWN(nvmlDeviceGetTopologyNearestGpus)
UNKNOWN(nvmlDeviceGetTotalEccErrors)
UNKNOWN(nvmlDeviceGetVbiosVersion)
UNKNOWN(nvmlDeviceGetViolationStatus)
UNKNOWN(nvmlDeviceRegisterEvents)
UNKNOWN(nvmlGpmQueryDeviceSupport)
