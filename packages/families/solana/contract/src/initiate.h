// SPDX-License-Identifier: Apache-2.0
// Initiates orders: checks the terms, creates the accounts, locks the amount.
#pragma once

#include "context.h"

INLINE u64 check_terms(const initiate_data *terms, const account *initiator, const clock_sysvar *clock) {
  REQUIRE(terms->amount != 0, ZeroAmount);
  REQUIRE(terms->timelock != 0 && terms->timelock <= MAX_TIMELOCK, InvalidTimelock);
  REQUIRE(terms->initiate_before > clock->unix_time, InitiateTooLate);
  REQUIRE(terms->initiate_before <= clock->unix_time + MAX_INITIATE_SECONDS, InvalidInitiateBefore);
  REQUIRE(!is_zero(&initiator->address) && !is_zero(&terms->redeemer), ZeroAddress);
  REQUIRE(!equal(&initiator->address, &terms->redeemer), SameInitiatorAndRedeemer);
  return 0;
}

/** An account that does not exist, or that has only been sent lamports. */
INLINE int is_unused(const account *candidate) { return candidate->size == 0 && equal(&candidate->owner, &SYSTEM_PROGRAM); }

INLINE order *write_order(account *order_account, const initiate_data *terms, const account *initiator, const account *rent_payer,
                          const clock_sysvar *clock, u8 bump) {
  order *written = (order *)order_account->data;
  written->status = OPEN;
  written->bump = bump;
  written->amount = terms->amount;
  written->timelock = terms->timelock;
  written->initiated_slot = clock->slot;
  written->initiate_before = terms->initiate_before;
  written->secret_hash = terms->secret_hash;
  written->initiator = initiator->address;
  written->redeemer = terms->redeemer;
  written->rent_payer = rent_payer->address;
  return written;
}

static __attribute__((noinline)) u64 initiate_sol(const context *call) {
  REQUIRE(call->account_count == 5, InvalidAccountCount);
  REQUIRE(call->data_length == sizeof(initiate_data), InvalidInstruction);
  account *order_account = call->accounts[0], *funder = call->accounts[1], *rent_payer = call->accounts[2];
  const account *initiator = call->accounts[3];
  const initiate_data *terms = call->data;
  clock_sysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  REQUIRE(funder->is_signer && rent_payer->is_signer, MissingSignature);
  TRY(check_terms(terms, initiator, &clock));
  REQUIRE(is_unused(order_account), DuplicateOrder);
  u64 rent;
  TRY(minimum_balance(SOL_ORDER_SIZE, &rent));
  REQUIRE(terms->amount <= ~0ULL - rent, AmountTooLarge);

  u8 bump;
  slice seeds[] = {{"htlc", 4},
                   {&initiator->address, 32},
                   {&terms->redeemer, 32},
                   {&terms->secret_hash, 32},
                   {&terms->amount, 16},
                   {&bump, 1}};
  u64 one_pays_all = funder == rent_payer;
  new_account created = {order_account, one_pays_all ? rent + terms->amount : rent, SOL_ORDER_SIZE, call->program, {seeds, 6}};
  REQUIRE(is_derived(order_account, created.seeds, call->program, &bump), WrongOrderAddress);
  TRY(create_account(rent_payer, &created));
  if (!one_pays_all) TRY(transfer_lamports(funder, order_account, terms->amount));
  write_order(order_account, terms, initiator, rent_payer, &clock, bump)->kind = SOL;
  return 0;
}

static __attribute__((noinline)) u64 initiate_token(const context *call) {
  REQUIRE(call->account_count == 9, InvalidAccountCount);
  REQUIRE(call->data_length == sizeof(initiate_data), InvalidInstruction);
  account *order_account = call->accounts[0], *vault = call->accounts[1], *funder = call->accounts[2], *rent_payer = call->accounts[3];
  account *funder_tokens = call->accounts[5], *mint = call->accounts[6];
  const account *initiator = call->accounts[4], *token_program = call->accounts[7];
  const initiate_data *terms = call->data;
  clock_sysvar clock;
  TRY(sol_get_clock_sysvar(&clock));
  REQUIRE(funder->is_signer && rent_payer->is_signer, MissingSignature);
  TRY(check_terms(terms, initiator, &clock));
  REQUIRE(is_unused(order_account), DuplicateOrder);
  REQUIRE(equal(&token_program->address, &TOKEN_PROGRAM), WrongTokenProgram);
  REQUIRE(equal(&mint->owner, &TOKEN_PROGRAM), WrongMint);
  u64 order_rent, vault_rent;
  TRY(minimum_balance(TOKEN_ORDER_SIZE, &order_rent));
  TRY(minimum_balance(TOKEN_ACCOUNT_SIZE, &vault_rent));

  u8 bump;
  slice seeds[] = {{"htlc_token", 10},
                   {&initiator->address, 32},
                   {&terms->redeemer, 32},
                   {&terms->secret_hash, 32},
                   {&terms->amount, 16},
                   {&mint->address, 32},
                   {&bump, 1}};
  new_account created = {order_account, order_rent, TOKEN_ORDER_SIZE, call->program, {seeds, 7}};
  REQUIRE(is_derived(order_account, created.seeds, call->program, &bump), WrongOrderAddress);
  TRY(create_account(rent_payer, &created));
  TRY(create_vault(rent_payer, vault, vault_rent, order_account, &created.seeds));
  TRY(initialize_vault(vault, mint, order_account));
  TRY(transfer_tokens(funder_tokens, vault, funder, terms->amount, 0));

  order *written = write_order(order_account, terms, initiator, rent_payer, &clock, bump);
  written->kind = TOKEN;
  written->mint = mint->address;
  written->vault = vault->address;
  return 0;
}
