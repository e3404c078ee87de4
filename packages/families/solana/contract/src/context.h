// SPDX-License-Identifier: Apache-2.0
// What every instruction needs: its accounts and data, the rent of the cluster, and checks of derived addresses.
#pragma once

#include "calls.h"

#define REQUIRE(condition, error)   \
  do {                              \
    if (!(condition)) return error; \
  } while (0)

#define MAX_ACCOUNTS 9

typedef struct {
  account *accounts[MAX_ACCOUNTS];
  u64 account_count;
  const void *data;
  u64 data_length;
  const bytes32 *program;
} context;

/** The loader pads accounts to eight bytes. A repeated account is only its index, and shares the memory of the first one. */
INLINE u64 read_input(u8 *input, context *read) {
  u64 count = *(u64 *)input;
  REQUIRE(count <= MAX_ACCOUNTS, InvalidAccountCount);
  u8 *at = input + 8;
  for (u64 i = 0; i < count; i++) {
    account *next = (account *)at;
    if (next->duplicate_of == NOT_A_DUPLICATE) {
      read->accounts[i] = next;
      at += sizeof(account) + ((next->size + 7) & ~7ULL) + ROOM_TO_GROW + sizeof(u64);
    } else {
      read->accounts[i] = read->accounts[next->duplicate_of];
      at += 8;
    }
  }
  read->account_count = count;
  read->data_length = *(u64 *)at;
  read->data = at + 8;
  read->program = (bytes32 *)(at + 8 + read->data_length);
  return 0;
}

/** Two is the threshold of today's clusters; one is what SIMD-0194 makes of it, with a doubled `lamports_per_byte`. */
INLINE u64 minimum_balance(u64 size, u64 *lamports) {
  rent_sysvar rent;
  TRY(sol_get_rent_sysvar(&rent));
  u64 once = (128 + size) * rent.lamports_per_byte;
  if (rent.threshold_bits == 0x4000000000000000) *lamports = once * 2;
  else if (rent.threshold_bits == 0x3ff0000000000000) *lamports = once;
  else return UnknownRent;
  return 0;
}

/**
 * Writes the bump, which is the last of the seeds. Only the highest one counts, so that terms have one address, and nobody has a key
 * for it: only this program can sign for it.
 */
INLINE int is_derived(const account *derived, signer_seeds seeds, const bytes32 *program, u8 *bump) {
  bytes32 address;
  return sol_try_find_program_address(seeds.seeds, seeds.count - 1, program, &address, bump) == 0 && equal(&address, &derived->address);
}

/**
 * The associated token account of an owner: where its tokens are looked for, so nobody can strand a payment in another one. Only the
 * Associated Token program can create an account at such an address, and it does so only for the highest bump without a key.
 */
static __attribute__((noinline)) int is_associated(const account *tokens, const bytes32 *owner, const bytes32 *mint,
                                                   const bytes32 *token_program) {
  u8 bump = 255;
  slice parts[] = {{owner, 32}, {token_program, 32}, {mint, 32}, {&bump, 1}, {&ASSOCIATED_TOKEN_PROGRAM, 32}, {"ProgramDerivedAddress", 21}};
  bytes32 address;
  do {
    sol_sha256(parts, 6, &address);
    if (equal(&address, &tokens->address)) return 1;
  } while (bump-- > 0);
  return 0;
}
