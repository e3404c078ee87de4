// SPDX-License-Identifier: Apache-2.0
// Calls of the System program and the Token program, and the accounts that they create for us.
#pragma once

#include "htlc.h"

#define TRY(call)                 \
  do {                            \
    u64 error = (call);           \
    if (error != 0) return error; \
  } while (0)

static const bytes32 SYSTEM_PROGRAM = {{0, 0, 0, 0}};
/** TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA */
static const bytes32 TOKEN_PROGRAM = {{0x93a165d7e1f6dd06, 0xac79ebce46e1cbd9, 0x91375b5fed85b41c, 0xa900ff7e85f58c3a}};
/** TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb. Only a deposit may hold its tokens, and only to return them. */
static const bytes32 TOKEN_2022_PROGRAM = {{0xde8f75eee1f6dd06, 0xdacd6ce4bc5d4218, 0x270db9834dfc1ab6, 0xfc8ba1d828f9bdfe}};
/** ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL */
static const bytes32 ASSOCIATED_TOKEN_PROGRAM = {{0xf189244e8f25978c, 0x830d8e1429103dbb, 0x8410ffda99135a0b, 0x59f8e9dbd87b8e04}};

/** The part of a token account that we read. Of the Token program, so neither field can be anything else. */
typedef struct {
  bytes32 mint;
  bytes32 owner;
  u64 amount;
} token_account;

#define TOKEN_ACCOUNT_SIZE 165
/** In a mint. */
#define DECIMALS_OFFSET 44

#define MAX_CALL_ACCOUNTS 4

typedef struct {
  account_meta metas[MAX_CALL_ACCOUNTS];
  account_info infos[MAX_CALL_ACCOUNTS];
  u64 count;
} call_accounts;

INLINE void name_account(call_accounts *call, account *named, u8 is_writable, u8 is_signer) {
  account_meta *meta = &call->metas[call->count];
  meta->address = &named->address;
  meta->is_writable = is_writable;
  meta->is_signer = is_signer;
  account_info *info = &call->infos[call->count];
  info->address = &named->address;
  info->lamports = &named->lamports;
  info->size = named->size;
  info->data = named->data;
  info->owner = &named->owner;
  info->rent_epoch = ~0ULL;
  info->is_signer = named->is_signer;
  info->is_writable = named->is_writable;
  info->is_executable = named->is_executable;
  call->count += 1;
}

/** `signer` may be null. */
INLINE u64 invoke(const bytes32 *program, const call_accounts *call, const void *data, u64 length, const signer_seeds *signer) {
  instruction called = {program, call->metas, call->count, data, length};
  return sol_invoke_signed_c(&called, call->infos, call->count, signer, signer != 0);
}

// Instruction data of both programs is packed: a tag, then fields. The tags stand at the end of a word here, so that the fields after them
// are aligned; what is before the tag is not sent.
#define PACKED_FROM_TAG(data) &(data).tag, (u64)((const u8 *)(&(data) + 1) - (const u8 *)&(data).tag)

// The System program.

static __attribute__((noinline)) u64 transfer_lamports(account *from, account *to, u64 lamports) {
  struct {
    u32 unsent;
    u32 tag;
    u64 lamports;
  } data = {0, 2, lamports};
  call_accounts call;
  call.count = 0;
  name_account(&call, from, 1, 1);
  name_account(&call, to, 1, 0);
  return invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(data), 0);
}

typedef struct {
  account *at;
  u64 lamports;
  u64 size;
  const bytes32 *owner;
  signer_seeds seeds;
} new_account;

// Anyone can send lamports to an address before it is created, and CreateAccount then fails: allocating and assigning do not.

/** The seeds sign for the created account. That does not check its address: an account with a key can sign for itself. */
static __attribute__((noinline)) u64 create_account(account *payer, const new_account *created) {
  call_accounts call;
  call.count = 0;
  if (created->at->lamports == 0) {
    struct {
      u32 unsent;
      u32 tag;
      u64 lamports;
      u64 size;
      bytes32 owner;
    } data = {0, 0, created->lamports, created->size, *created->owner};
    name_account(&call, payer, 1, 1);
    name_account(&call, created->at, 1, 1);
    return invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(data), &created->seeds);
  }
  TRY(transfer_lamports(payer, created->at, created->lamports));
  struct {
    u32 unsent;
    u32 tag;
    u64 size;
  } allocate = {0, 8, created->size};
  name_account(&call, created->at, 1, 1);
  TRY(invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(allocate), &created->seeds));
  struct {
    u32 unsent;
    u32 tag;
    bytes32 owner;
  } assign = {0, 1, *created->owner};
  return invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(assign), &created->seeds);
}

#define VAULT_SEED "thevault"
#define VAULT_SEED_LENGTH 8

/** The System program refuses an address that is not that of base, seed and owner. `seeds` sign for the order, which is the base. */
static __attribute__((noinline)) u64 create_vault(account *payer, account *vault, u64 lamports, account *order_account,
                                                  const signer_seeds *seeds) {
  call_accounts call;
  call.count = 0;
  if (vault->lamports == 0) {
    struct {
      u32 unsent;
      u32 tag;
      bytes32 base;
      u64 seed_length;
      u8 seed[VAULT_SEED_LENGTH];
      u64 lamports;
      u64 size;
      bytes32 owner;
    } data = {0, 3, order_account->address, VAULT_SEED_LENGTH, VAULT_SEED, lamports, TOKEN_ACCOUNT_SIZE, TOKEN_PROGRAM};
    name_account(&call, payer, 1, 1);
    name_account(&call, vault, 1, 0);
    name_account(&call, order_account, 0, 1);
    return invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(data), seeds);
  }
  TRY(transfer_lamports(payer, vault, lamports));
  struct {
    u32 unsent;
    u32 tag;
    bytes32 base;
    u64 seed_length;
    u8 seed[VAULT_SEED_LENGTH];
    u64 size;
    bytes32 owner;
  } allocate = {0, 9, order_account->address, VAULT_SEED_LENGTH, VAULT_SEED, TOKEN_ACCOUNT_SIZE, TOKEN_PROGRAM};
  name_account(&call, vault, 1, 0);
  name_account(&call, order_account, 0, 1);
  return invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(allocate), seeds);
}

// The Token program.

static __attribute__((noinline)) u64 initialize_vault(account *vault, account *mint, const account *authority) {
  struct {
    u8 unsent[7];
    u8 tag;
    bytes32 authority;
  } data = {{0}, 18, authority->address};
  call_accounts call;
  call.count = 0;
  name_account(&call, vault, 1, 0);
  name_account(&call, mint, 0, 0);
  return invoke(&TOKEN_PROGRAM, &call, PACKED_FROM_TAG(data), 0);
}

static __attribute__((noinline)) u64 transfer_tokens(account *from, account *to, account *authority, u64 amount, const signer_seeds *seeds) {
  struct {
    u8 unsent[7];
    u8 tag;
    u64 amount;
  } data = {{0}, 3, amount};
  call_accounts call;
  call.count = 0;
  name_account(&call, from, 1, 0);
  name_account(&call, to, 1, 0);
  name_account(&call, authority, 0, 1);
  return invoke(&TOKEN_PROGRAM, &call, PACKED_FROM_TAG(data), seeds);
}

static __attribute__((noinline)) u64 close_vault(account *vault, account *order_account, const signer_seeds *seeds) {
  u8 tag = 9;
  call_accounts call;
  call.count = 0;
  name_account(&call, vault, 1, 0);
  name_account(&call, order_account, 1, 0);
  name_account(&call, order_account, 0, 1);
  return invoke(&TOKEN_PROGRAM, &call, &tag, sizeof tag, seeds);
}

// What a deposit signs for.

static __attribute__((noinline)) u64 transfer_deposited_lamports(account *deposit, account *to, u64 lamports, const signer_seeds *seeds) {
  struct {
    u32 unsent;
    u32 tag;
    u64 lamports;
  } data = {0, 2, lamports};
  call_accounts call;
  call.count = 0;
  name_account(&call, deposit, 1, 1);
  name_account(&call, to, 1, 0);
  return invoke(&SYSTEM_PROGRAM, &call, PACKED_FROM_TAG(data), seeds);
}

static __attribute__((noinline)) u64 approve_tokens(account *tokens, account *delegate, account *deposit, u64 amount,
                                                    const signer_seeds *seeds) {
  struct {
    u8 unsent[7];
    u8 tag;
    u64 amount;
  } data = {{0}, 4, amount};
  call_accounts call;
  call.count = 0;
  name_account(&call, tokens, 1, 0);
  name_account(&call, delegate, 0, 0);
  name_account(&call, deposit, 0, 1);
  return invoke(&TOKEN_PROGRAM, &call, PACKED_FROM_TAG(data), seeds);
}

// These two are for tokens of either Token program: the one that owns the account.

/** Some mints of Token-2022 allow no transfer that does not name them. */
static __attribute__((noinline)) u64 transfer_all_tokens(account *from, account *mint, account *to, account *authority,
                                                         const signer_seeds *seeds) {
  struct {
    u8 unsent[7];
    u8 tag;
    u64 amount;
    u8 decimals;
  } data = {{0}, 12, ((const token_account *)from->data)->amount, mint->data[DECIMALS_OFFSET]};
  call_accounts call;
  call.count = 0;
  name_account(&call, from, 1, 0);
  name_account(&call, mint, 0, 0);
  name_account(&call, to, 1, 0);
  name_account(&call, authority, 0, 1);
  return invoke(&from->owner, &call, &data.tag, 10, seeds);
}

static __attribute__((noinline)) u64 close_tokens(account *closed, account *rent_to, account *authority, const signer_seeds *seeds) {
  u8 tag = 9;
  call_accounts call;
  call.count = 0;
  name_account(&call, closed, 1, 0);
  name_account(&call, rent_to, 1, 0);
  name_account(&call, authority, 0, 1);
  return invoke(&closed->owner, &call, &tag, sizeof tag, seeds);
}
