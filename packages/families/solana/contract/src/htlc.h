// SPDX-License-Identifier: Apache-2.0
// Everything that others must know to use the program: errors, instructions, seeds, and the layout of an order's account.
#pragma once

#include "sbpf.h"

/** From 6000, so that they differ from the errors of the programs that we call. The build reads this list for TypeScript and the IDLs. */
#define ERRORS(X)                                                                                       \
  X(6000, InvalidInstruction, "The instruction data has an unknown tag or a wrong length")              \
  X(6001, InvalidAccountCount, "The instruction takes another number of accounts")                      \
  X(6002, MissingSignature, "An account that must sign did not")                                        \
  X(6003, ZeroAmount, "The amount is zero")                                                             \
  X(6004, AmountTooLarge, "The amount and the rent together exceed 64 bits")                            \
  X(6005, InvalidTimelock, "The timelock is zero or longer than 6,480,000 slots")                       \
  X(6006, InitiateTooLate, "The order could be initiated only before a time that has passed")           \
  X(6007, InvalidInitiateBefore, "The order could be initiated for more than 30 days")                  \
  X(6008, ZeroAddress, "The initiator or the redeemer is the zero address")                             \
  X(6009, SameInitiatorAndRedeemer, "The initiator and the redeemer are the same")                      \
  X(6010, WrongOrderAddress, "The address of the order is not derived from its terms")                  \
  X(6011, DuplicateOrder, "An order with exactly these terms exists, or was settled a short while ago") \
  X(6012, UnknownRent, "The cluster computes rent in a way that this program does not know")            \
  X(6013, WrongTokenProgram, "Only the classic Token program is supported, not Token-2022")             \
  X(6014, WrongMint, "The mint is not an account of the Token program")                                 \
  X(6015, OrderNotInitiated, "The account is not an order: it was never initiated, or it was closed")   \
  X(6016, WrongKind, "The order holds SOL and the instruction is for tokens, or the reverse")           \
  X(6017, OrderSettled, "The order was redeemed or refunded before")                                    \
  X(6018, OrderOpen, "The order is open: redeem or refund it before it is closed")                      \
  X(6019, WrongSecret, "The SHA-256 of the secret is not the order's secret hash")                      \
  X(6020, OrderNotExpired, "The timelock has not passed")                                               \
  X(6021, NotTheRedeemer, "Only the order's redeemer can permit an instant refund")                     \
  X(6022, WrongPayee, "The order pays somebody else")                                                   \
  X(6023, WrongVault, "The vault is not the one of the order")                                          \
  X(6024, WrongRentPayer, "Somebody else paid the rent of the order")                                   \
  X(6025, TooEarlyToClose, "The order could still be initiated again: it stays until then")             \
  X(6026, MissingConsent, "The instruction before is not the redeemer's signature of this refund")      \
  X(6027, WrongDeposit, "The deposit is not the one of the order and its deadline")                     \
  X(6028, DepositTooSmall, "The deposit does not hold the amount of the order")                         \
  X(6029, TooEarlyToReturn, "The order can still be initiated with this deposit: its owner must sign")

#define ERROR_CONSTANT(code, name, message) name = code,
enum { ERRORS(ERROR_CONSTANT) };

/** The first eight bytes of the instruction data, little-endian. */
enum {
  INITIATE_SOL,
  REDEEM_SOL,
  REFUND_SOL,
  INSTANT_REFUND_SOL,
  INITIATE_TOKEN,
  REDEEM_TOKEN,
  REFUND_TOKEN,
  INSTANT_REFUND_TOKEN,
  CLOSE,
  INITIATE_DEPOSITED_SOL,
  INITIATE_DEPOSITED_TOKEN,
  RETURN_SOL,
  RETURN_TOKENS,
};

typedef struct {
  u64 tag;
  u64 amount;
  /** Slots from the initiation until a refund is possible. */
  u64 timelock;
  /** Unix time from which on this instruction fails. */
  i64 initiate_before;
  bytes32 redeemer;
  bytes32 secret_hash;
} initiate_data;

typedef struct {
  u64 tag;
  bytes32 secret;
} redeem_data;

/** Terms, which may be such that no order can have them, and the deadline of a deposit. */
typedef struct {
  initiate_data terms;
  /** Of the order; zero for SOL. */
  bytes32 mint;
} return_data;

#define TAG_LENGTH 8

/** 30 days of slots. A longer timelock is most likely a mistake of units. */
#define MAX_TIMELOCK 6480000
/** 30 days. More are most likely milliseconds. */
#define MAX_INITIATE_SECONDS 2592000

enum { OPEN = 1, REDEEMED = 2, REFUNDED = 3 };
enum { SOL = 0, TOKEN = 1 };

/**
 * The account of an order. Its address is derived from all terms, with the highest bump that gives an address without a key:
 *   SOL     "htlc"       initiator  redeemer  secret_hash  amount|timelock        bump
 *   tokens  "htlc_token" initiator  redeemer  secret_hash  amount|timelock  mint  bump
 * So no two orders have the same terms. It holds its rent, the amount of an open SOL order, and whatever strangers send to it.
 */
typedef struct {
  u8 status;
  u8 kind;
  u8 bump;
  /** Zero while it is open. Enough for some 14,000 years. */
  u8 settled_slot[5];
  u64 amount;
  u64 timelock;
  u64 initiated_slot;
  i64 initiate_before;
  /** Once redeemed: the secret. */
  bytes32 secret_hash;
  bytes32 initiator;
  bytes32 redeemer;
  bytes32 rent_payer;
  /** Orders of SOL end here. */
  bytes32 mint;
  /**
   * The token account that holds the amount, at the System program's address for base `order`, seed "thevault" and the Token program
   * as owner: there is one for each order, and only the order signs for it. The order is its authority.
   */
  bytes32 vault;
} order;

#define SOL_ORDER_SIZE 168
#define TOKEN_ORDER_SIZE 232

_Static_assert(sizeof(order) == TOKEN_ORDER_SIZE, "layout");
_Static_assert(__builtin_offsetof(order, mint) == SOL_ORDER_SIZE, "layout");
_Static_assert(sizeof(initiate_data) == 96, "layout");
_Static_assert(sizeof(redeem_data) == 40, "layout");
_Static_assert(sizeof(return_data) == 128, "layout");
