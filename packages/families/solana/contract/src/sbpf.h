// SPDX-License-Identifier: Apache-2.0
// What the Solana runtime gives a program: its input, its system calls, its way to call other programs. No SDK, no libc.
#pragma once

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#define INLINE static inline __attribute__((always_inline))

/** An address, a hash or a secret. */
typedef struct {
  u64 words[4];
} bytes32;

INLINE int equal(const bytes32 *a, const bytes32 *b) {
  return a->words[0] == b->words[0] && a->words[1] == b->words[1] && a->words[2] == b->words[2] && a->words[3] == b->words[3];
}

INLINE int is_zero(const bytes32 *a) { return (a->words[0] | a->words[1] | a->words[2] | a->words[3]) == 0; }

/** An account as the loader writes it into the input. What a program writes here is what the account becomes, if the runtime allows it. */
typedef struct {
  u8 duplicate_of;
  u8 is_signer;
  u8 is_writable;
  u8 is_executable;
  u32 original_size;
  bytes32 address;
  bytes32 owner;
  u64 lamports;
  u64 size;
  u8 data[];
} account;

#define NOT_A_DUPLICATE 0xff
/** An account may grow by this much in one instruction; the loader leaves the room behind its data. */
#define ROOM_TO_GROW 10240

typedef struct {
  const void *start;
  u64 length;
} slice;

/** The accounts that a cross-program call names. */
typedef struct {
  const bytes32 *address;
  u8 is_writable;
  u8 is_signer;
  u8 padding[6];
} account_meta;

typedef struct {
  const bytes32 *program;
  const account_meta *accounts;
  u64 account_count;
  const void *data;
  u64 data_length;
} instruction;

/** The same accounts as places in our input, where the runtime writes the changes. */
typedef struct {
  const bytes32 *address;
  u64 *lamports;
  u64 size;
  u8 *data;
  const bytes32 *owner;
  u64 rent_epoch;
  u8 is_signer;
  u8 is_writable;
  u8 is_executable;
  u8 padding[5];
} account_info;

/** Seeds of an address of ours for which a call signs. */
typedef struct {
  const slice *seeds;
  u64 count;
} signer_seeds;

typedef struct {
  u64 slot;
  i64 epoch_start_time;
  u64 epoch;
  u64 leader_schedule_epoch;
  i64 unix_time;
} clock_sysvar;

typedef struct {
  u64 lamports_per_byte;
  /** A 64-bit float by which `lamports_per_byte` is multiplied. */
  u64 threshold_bits;
  u64 burn_percent;
} rent_sysvar;

extern u64 sol_sha256(const slice *parts, u64 count, bytes32 *hash);
/** The address for the highest bump that gives one without a key. Not zero if there is none. */
extern u64 sol_try_find_program_address(const slice *seeds, u64 count, const bytes32 *program, bytes32 *address, u8 *bump);
extern u64 sol_get_clock_sysvar(clock_sysvar *clock);
extern u64 sol_get_rent_sysvar(rent_sysvar *rent);
extern u64 sol_invoke_signed_c(const instruction *, const account_info *, u64 info_count, const signer_seeds *, u64 signer_count);
