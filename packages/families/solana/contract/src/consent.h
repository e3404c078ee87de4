// SPDX-License-Identifier: Apache-2.0
// The redeemer's consent to an instant refund, signed apart from the transaction: anyone may send it.
//
// The runtime verifies the signature: the instruction before ours calls its Ed25519 program, which fails the transaction unless the
// signature is right. We read that instruction from the Instructions sysvar and compare every byte of it but the signature, so it can only be
// about this key, this message, and bytes of its own.
#pragma once

#include "htlc.h"

/** Sysvar1nstructions1111111111111111111111111 */
static const bytes32 INSTRUCTIONS_SYSVAR = {{0x66d17b1817d5a706, 0xc0c2fd5504d4da35, 0xa57556218fc624c1, 0x00000085fcbbadb}};
/** Ed25519SigVerify111111111111111111111111111 */
static const bytes32 ED25519_PROGRAM = {{0xbefb937cd6467d03, 0xff408d838f42f912, 0x648af42749747005, 0x0000804470cafc}};

/**
 * One signature; the places of signature, key and message in this instruction itself, and the length of the message. A key that signs
 * transactions too signs no transaction by this: 0xff begins none.
 */
static const u8 CONSENT_HEAD[16] = {1, 0, 48, 0, 0xff, 0xff, 16, 0, 0xff, 0xff, 112, 0, 80, 0, 0xff, 0xff};
static const u8 CONSENT_TAG[32] = "\xfftandem htlc: instant refund";

/** As the sysvar writes the instruction. Nothing in it is aligned. */
typedef struct {
  u8 account_count[2];
  u8 program[32];
  u8 data_length[2];
  u8 head[16];
  u8 key[32];
  u8 signature[64];
  u8 tag[32];
  u8 order[32];
  /** A settled order may be closed and initiated again, later. It then has other times, and these of another cluster too. */
  u8 initiated_slot_and_before[16];
} consent;

_Static_assert(sizeof(consent) == 2 + 32 + 2 + 192, "layout");
_Static_assert(__builtin_offsetof(order, initiate_before) == __builtin_offsetof(order, initiated_slot) + 8, "layout");

INLINE u64 read_u16(const u8 *at) { return at[0] | (u64)at[1] << 8; }

static __attribute__((noinline)) int same_bytes(const u8 *a, const void *b, u64 length) {
  for (u64 i = 0; i < length; i++)
    if (a[i] != ((const u8 *)b)[i]) return 0;
  return 1;
}

/** `instructions` is the sysvar: the number of instructions, the place of each, the instructions, and which of them runs now. */
static __attribute__((noinline)) int is_consented(const account *instructions, const account *order_account, const order *open) {
  const u8 *data = instructions->data;
  u64 current = read_u16(data + instructions->size - 2);
  if (current == 0) return 0;
  const consent *given = (const consent *)(data + read_u16(data + 2 * current));
  return read_u16(given->account_count) == 0 && same_bytes(given->program, &ED25519_PROGRAM, 32) && read_u16(given->data_length) == 192 &&
         same_bytes(given->head, CONSENT_HEAD, 16) && same_bytes(given->key, &open->redeemer, 32) && same_bytes(given->tag, CONSENT_TAG, 32) &&
         same_bytes(given->order, &order_account->address, 32) &&
         same_bytes(given->initiated_slot_and_before, &open->initiated_slot, 16);
}
