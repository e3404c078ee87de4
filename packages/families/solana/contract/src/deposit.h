// SPDX-License-Identifier: Apache-2.0
// Deposits: plain transfers to an address that is derived from an order and a deadline. Nothing is created there before money comes.
//
//   "deposit"  order  deadline  bump
//
// The address of the order stands for all of its terms, the mint too. The deadline is the `initiate_before` of the order that a deposit becomes:
// the account of that order stays until then, so a deposit address funds at most one order, once. Lamports lie at the address itself,
// tokens in its associated token account.
#pragma once

#include "initiate.h"

typedef struct {
  slice seeds[4];
  u8 bump;
} deposit_seeds;

/** The seeds point into `named`. Whoever uses them checks too that the order is at the address of the terms. */
INLINE signer_seeds name_deposit(deposit_seeds *named, const account *order_account, const initiate_data *terms) {
  named->seeds[0] = (slice){"deposit", 7};
  named->seeds[1] = (slice){&order_account->address, 32};
  named->seeds[2] = (slice){&terms->initiate_before, 8};
  named->seeds[3] = (slice){&named->bump, 1};
  return (signer_seeds){named->seeds, 4};
}

/** Where the signed instruction names the funder, that of a deposit names the deposit: here is the signed one, with the rent payer as funder. */
INLINE context funded_by_rent_payer(const context *call, u64 funder, u64 rent_payer) {
  context funded = *call;
  funded.accounts[funder] = call->accounts[rent_payer];
  return funded;
}

/**
 * Locks exactly the amount: it passes through the rent payer, which signs. The runtime lets no account keep less than the minimum. Such a rest, which
 * anyone can make by a gift of one lamport, goes to the initiator, or to the rent payer if the initiator has no account that could take it.
 */
static __attribute__((noinline)) u64 initiate_deposited_sol(const context *call) {
  REQUIRE(call->account_count == 5, InvalidAccountCount);
  REQUIRE(call->data_length == sizeof(initiate_data), InvalidInstruction);
  account *deposit = call->accounts[1], *rent_payer = call->accounts[2], *initiator = call->accounts[3];
  const initiate_data *terms = call->data;
  deposit_seeds named;
  signer_seeds signer = name_deposit(&named, call->accounts[0], terms);
  REQUIRE(is_derived(deposit, signer, call->program, &named.bump), WrongDeposit);
  REQUIRE(deposit->lamports >= terms->amount, DepositTooSmall);
  u64 minimum;
  TRY(minimum_balance(0, &minimum));
  u64 taken = terms->amount, rest = deposit->lamports - taken;
  if (rest != 0 && rest < minimum) {
    if (initiator->lamports + rest >= minimum) TRY(transfer_deposited_lamports(deposit, initiator, rest, &signer));
    else taken += rest;
  }
  TRY(transfer_deposited_lamports(deposit, rent_payer, taken, &signer));
  context funded = funded_by_rent_payer(call, 1, 2);
  return initiate_sol(&funded);
}

/** The rent payer may take the amount, and the vault takes it in this instruction: no permission is left. */
static __attribute__((noinline)) u64 initiate_deposited_token(const context *call) {
  REQUIRE(call->account_count == 9, InvalidAccountCount);
  REQUIRE(call->data_length == sizeof(initiate_data), InvalidInstruction);
  account *deposit = call->accounts[2], *rent_payer = call->accounts[3], *tokens = call->accounts[5];
  const account *mint = call->accounts[6];
  const initiate_data *terms = call->data;
  deposit_seeds named;
  signer_seeds signer = name_deposit(&named, call->accounts[0], terms);
  REQUIRE(is_derived(deposit, signer, call->program, &named.bump), WrongDeposit);
  REQUIRE(is_associated(tokens, &deposit->address, &mint->address, &TOKEN_PROGRAM), WrongDeposit);
  TRY(approve_tokens(tokens, rent_payer, deposit, terms->amount, &signer));
  context funded = funded_by_rent_payer(call, 2, 3);
  return initiate_token(&funded);
}

/** The terms need not make sense: what was sent to such an address goes back too. `mint` is zero for SOL. */
INLINE int is_order_of(const account *order_account, const return_data *given, const account *initiator, const bytes32 *program) {
  int is_sol = is_zero(&given->mint);
  u8 bump;
  slice last = {&bump, 1};
  slice seeds[] = {{is_sol ? "htlc" : "htlc_token", is_sol ? 4 : 10},
                   {&initiator->address, 32},
                   {&given->terms.redeemer, 32},
                   {&given->terms.secret_hash, 32},
                   {&given->terms.amount, 16},
                   {&given->mint, 32},
                   last};
  if (is_sol) seeds[5] = last;
  return is_derived(order_account, (signer_seeds){seeds, is_sol ? 6 : 7}, program, &bump);
}

/** `returned` is the mint of what is paid back; zero for SOL. */
static __attribute__((noinline)) u64 check_return(const context *call, const bytes32 *returned, const signer_seeds *signer, u8 *bump) {
  const account *order_account = call->accounts[0], *deposit = call->accounts[1], *initiator = call->accounts[2];
  const return_data *given = call->data;
  REQUIRE(call->data_length == sizeof(return_data), InvalidInstruction);
  REQUIRE(is_order_of(order_account, given, initiator, call->program), WrongOrderAddress);
  REQUIRE(is_derived(deposit, *signer, call->program, bump), WrongDeposit);
  if (initiator->is_signer || !equal(returned, &given->mint)) return 0;
  clock_sysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  int is_opened = equal(&order_account->owner, call->program) && ((const order *)order_account->data)->status != 0;
  REQUIRE(is_opened || clock.unix_time >= given->terms.initiate_before, TooEarlyToReturn);
  return 0;
}

static __attribute__((noinline)) u64 return_sol(const context *call) {
  REQUIRE(call->account_count == 4, InvalidAccountCount);
  account *deposit = call->accounts[1], *initiator = call->accounts[2];
  deposit_seeds named;
  signer_seeds signer = name_deposit(&named, call->accounts[0], call->data);
  TRY(check_return(call, &SYSTEM_PROGRAM, &signer, &named.bump));
  return transfer_deposited_lamports(deposit, initiator, deposit->lamports, &signer);
}

/**
 * Any token account of the deposit, also one of Token-2022 that was sent by mistake. Its rent goes to the initiator too: whoever paid it
 * did so for the initiator, and nobody else gains by doing this again.
 */
static __attribute__((noinline)) u64 return_tokens(const context *call) {
  REQUIRE(call->account_count == 7, InvalidAccountCount);
  account *deposit = call->accounts[1], *initiator = call->accounts[2], *tokens = call->accounts[3];
  account *initiator_tokens = call->accounts[4], *mint = call->accounts[5];
  const bytes32 *token_program = &call->accounts[6]->address;
  const token_account *held = (const token_account *)tokens->data;
  REQUIRE(equal(token_program, &TOKEN_PROGRAM) || equal(token_program, &TOKEN_2022_PROGRAM), WrongTokenProgram);
  REQUIRE(equal(&tokens->owner, token_program), WrongTokenProgram);
  REQUIRE(equal(&held->owner, &deposit->address), WrongDeposit);
  deposit_seeds named;
  signer_seeds signer = name_deposit(&named, call->accounts[0], call->data);
  TRY(check_return(call, &held->mint, &signer, &named.bump));
  REQUIRE(is_associated(initiator_tokens, &initiator->address, &held->mint, token_program), WrongPayee);
  REQUIRE(equal(&((const token_account *)initiator_tokens->data)->owner, &initiator->address), WrongPayee);
  TRY(transfer_all_tokens(tokens, mint, initiator_tokens, deposit, &signer));
  return close_tokens(tokens, initiator, deposit, &signer);
}

static __attribute__((noinline)) u64 use_deposit(const context *call, u64 tag) {
  if (tag == INITIATE_DEPOSITED_SOL) return initiate_deposited_sol(call);
  if (tag == INITIATE_DEPOSITED_TOKEN) return initiate_deposited_token(call);
  if (tag == RETURN_SOL) return return_sol(call);
  if (tag == RETURN_TOKENS) return return_tokens(call);
  return InvalidInstruction;
}
