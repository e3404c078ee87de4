// SPDX-License-Identifier: Apache-2.0
// Hash time-locked contract for SOL and SPL tokens: pays the redeemer once a secret is shown, or the initiator after a timelock.
// No owner, no upgrade, no pause, no fee: what the terms of an order say is all that can happen.
//
// An order is one account, whose address is derived from all of its terms. README.md lists each account, each check and each error.
//
// Invariants:
// 1. An open order of SOL holds its rent and its amount; the vault of an open order of tokens holds its amount.
// 2. An order is paid out once, either to its redeemer or to its initiator.
// 3. A settled order keeps its account until `initiate_before`. Initiating fails while the account exists and from that time on, so
//    nothing that was signed for this order can initiate it a second time.
// 4. What lies at a deposit address can only be locked in its order, before its deadline and at most once, or go to the initiator.
// 5. A payment needs no account of a third party: nobody can block it by making the account of the rent payer unusable.
#include "consent.h"
#include "context.h"
#include "deposit.h"
#include "initiate.h"

// Redeem, refund, instant refund

/**
 * Anyone can create an account that belongs to this program, but only as zeros: whatever says that it is an open order was written
 * by `write_order`.
 */
INLINE u64 check_open(const context *call, u8 kind) {
  const account *order_account = call->accounts[0];
  const order *checked = (const order *)order_account->data;
  REQUIRE(equal(&order_account->owner, call->program) && checked->status != 0, OrderNotInitiated);
  REQUIRE(checked->status == OPEN, OrderSettled);
  REQUIRE(checked->kind == kind, WrongKind);
  return 0;
}

INLINE u64 check_secret(const context *call, const order *open) {
  REQUIRE(call->data_length == sizeof(redeem_data), InvalidInstruction);
  const redeem_data *given = call->data;
  slice secret = {&given->secret, sizeof(bytes32)};
  bytes32 hash;
  sol_sha256(&secret, 1, &hash);
  REQUIRE(equal(&hash, &open->secret_hash), WrongSecret);
  return 0;
}

INLINE u64 check_expired(const context *call, const order *open) {
  REQUIRE(call->data_length == TAG_LENGTH, InvalidInstruction);
  clock_sysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  REQUIRE(clock.slot >= open->initiated_slot + open->timelock, OrderNotExpired);
  return 0;
}

/** The redeemer signs the transaction, or has signed its consent. */
INLINE u64 check_permitted(const context *call, const order *open, const account *redeemer) {
  REQUIRE(call->data_length == TAG_LENGTH, InvalidInstruction);
  if (equal(&redeemer->address, &INSTRUCTIONS_SYSVAR)) {
    REQUIRE(is_consented(redeemer, call->accounts[0], open), MissingConsent);
    return 0;
  }
  REQUIRE(equal(&redeemer->address, &open->redeemer), NotTheRedeemer);
  REQUIRE(redeemer->is_signer, MissingSignature);
  return 0;
}

/** The account keeps how and when it was settled, and the secret, so that both can be read without the history of the chain. */
INLINE u64 mark_settled(order *settled, u8 status) {
  clock_sysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  // The first word: status, kind, bump, slot.
  u64 *head = (u64 *)settled;
  *head = (*head & 0xffff00) | status | clock.slot << 24;
  return 0;
}

INLINE u64 mark_redeemed(const context *call, order *redeemed) {
  redeemed->secret_hash = ((const redeem_data *)call->data)->secret;
  return mark_settled(redeemed, REDEEMED);
}

INLINE void pay_sol(const context *call, u64 amount) {
  call->accounts[0]->lamports -= amount;
  call->accounts[1]->lamports += amount;
}

INLINE u64 redeem_sol(const context *call) {
  REQUIRE(call->account_count == 2, InvalidAccountCount);
  TRY(check_open(call, SOL));
  order *open = (order *)call->accounts[0]->data;
  TRY(check_secret(call, open));
  REQUIRE(equal(&call->accounts[1]->address, &open->redeemer), WrongPayee);
  pay_sol(call, open->amount);
  return mark_redeemed(call, open);
}

static __attribute__((noinline)) u64 refund_sol(const context *call, u64 tag) {
  REQUIRE(call->account_count == (tag == REFUND_SOL ? 2 : 3), InvalidAccountCount);
  TRY(check_open(call, SOL));
  order *open = (order *)call->accounts[0]->data;
  if (tag == REFUND_SOL) TRY(check_expired(call, open));
  else TRY(check_permitted(call, open, call->accounts[2]));
  REQUIRE(equal(&call->accounts[1]->address, &open->initiator), WrongPayee);
  pay_sol(call, open->amount);
  return mark_settled(open, REFUNDED);
}

/**
 * Pays everything in the vault, so that tokens that a stranger sent there cannot keep it from being closed. Its rent goes to the order.
 * The order signs, by the seeds that it keeps: it must still have its secret hash.
 */
INLINE u64 pay_tokens(const context *call, const bytes32 *payee) {
  account *order_account = call->accounts[0], *vault = call->accounts[1], *payee_tokens = call->accounts[2];
  const order *paid = (const order *)order_account->data;
  REQUIRE(equal(&vault->address, &paid->vault), WrongVault);
  REQUIRE(equal(&call->accounts[3]->address, &TOKEN_PROGRAM), WrongTokenProgram);
  REQUIRE(is_associated(payee_tokens, payee, &paid->mint, &TOKEN_PROGRAM), WrongPayee);
  // Its owner can give it away. One that does not exist has no owner: the loader leaves zeros behind its data.
  REQUIRE(equal(&((const token_account *)payee_tokens->data)->owner, payee), WrongPayee);
  slice seeds[] = {{"htlc_token", 10},
                   {&paid->initiator, 32},
                   {&paid->redeemer, 32},
                   {&paid->secret_hash, 32},
                   {&paid->amount, 16},
                   {&paid->mint, 32},
                   {&paid->bump, 1}};
  signer_seeds signer = {seeds, 7};
  TRY(transfer_tokens(vault, payee_tokens, order_account, ((const token_account *)vault->data)->amount, &signer));
  return close_vault(vault, order_account, &signer);
}

static __attribute__((noinline)) u64 redeem_token(const context *call) {
  REQUIRE(call->account_count == 4, InvalidAccountCount);
  TRY(check_open(call, TOKEN));
  order *open = (order *)call->accounts[0]->data;
  TRY(check_secret(call, open));
  TRY(pay_tokens(call, &open->redeemer));
  return mark_redeemed(call, open);
}

static __attribute__((noinline)) u64 refund_token(const context *call, u64 tag) {
  REQUIRE(call->account_count == (tag == REFUND_TOKEN ? 4 : 5), InvalidAccountCount);
  TRY(check_open(call, TOKEN));
  order *open = (order *)call->accounts[0]->data;
  if (tag == REFUND_TOKEN) TRY(check_expired(call, open));
  else TRY(check_permitted(call, open, call->accounts[4]));
  TRY(pay_tokens(call, &open->initiator));
  return mark_settled(open, REFUNDED);
}

// Close

/** Gives the rent back. The account becomes one that never existed, and is not ours if it gets lamports in the same transaction. */
static __attribute__((noinline)) u64 close(const context *call) {
  REQUIRE(call->account_count == 2, InvalidAccountCount);
  REQUIRE(call->data_length == TAG_LENGTH, InvalidInstruction);
  account *order_account = call->accounts[0], *rent_payer = call->accounts[1];
  const order *settled = (const order *)order_account->data;
  REQUIRE(equal(&order_account->owner, call->program) && settled->status != 0, OrderNotInitiated);
  REQUIRE(settled->status != OPEN, OrderOpen);
  REQUIRE(equal(&rent_payer->address, &settled->rent_payer), WrongRentPayer);
  clock_sysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  REQUIRE(clock.unix_time >= settled->initiate_before, TooEarlyToClose);
  u64 lamports = order_account->lamports;
  order_account->lamports = 0;
  rent_payer->lamports += lamports;
  u64 *words = (u64 *)order_account->data;
  for (u64 i = 0; i < order_account->size / sizeof(u64); i++) words[i] = 0;
  order_account->size = 0;
  order_account->owner = SYSTEM_PROGRAM;
  return 0;
}

u64 entrypoint(u8 *input) {
  context call;
  TRY(read_input(input, &call));
  REQUIRE(call.data_length >= TAG_LENGTH, InvalidInstruction);
  u64 tag = *(const u64 *)call.data;
  if (tag == REDEEM_SOL) return redeem_sol(&call);
  if (tag == REDEEM_TOKEN) return redeem_token(&call);
  if (tag == INITIATE_SOL) return initiate_sol(&call);
  if (tag == INITIATE_TOKEN) return initiate_token(&call);
  if (tag == REFUND_SOL || tag == INSTANT_REFUND_SOL) return refund_sol(&call, tag);
  if (tag == REFUND_TOKEN || tag == INSTANT_REFUND_TOKEN) return refund_token(&call, tag);
  if (tag == CLOSE) return close(&call);
  return use_deposit(&call, tag);
}
