// Mutants as data: each replaces one text of the sources, and the named scenario must fail on each.
import type { Kind } from '../testing/order.ts'

export interface Mutant {
  readonly name: string
  /** Occurs exactly once in all sources together. */
  readonly text: string
  readonly replacement: string
  /** The scenario that must fail. */
  readonly noticedBy: string
  /** Which orders show it. */
  readonly kind: Kind
}

type Break = readonly [name: string, text: string, replacement: string, noticedBy: string]

const ofSol: readonly Break[] = [
  ['an amount of zero', 'REQUIRE(terms->amount != 0, ZeroAmount);', '', 'terms that make no sense are refused'],
  [
    'a timelock of zero',
    'terms->timelock != 0 && terms->timelock <= MAX_TIMELOCK',
    'terms->timelock <= MAX_TIMELOCK',
    'terms that make no sense are refused',
  ],
  [
    'a timelock without limit',
    'terms->timelock != 0 && terms->timelock <= MAX_TIMELOCK',
    'terms->timelock != 0',
    'terms that make no sense are refused',
  ],
  [
    'the longest timelock is refused',
    'terms->timelock <= MAX_TIMELOCK',
    'terms->timelock < MAX_TIMELOCK',
    'the shortest and the longest terms are accepted',
  ],
  [
    'initiated after its window',
    'REQUIRE(terms->initiate_before > clock->unix_time, InitiateTooLate);',
    '',
    'a second transaction that was signed for the order never initiates it again',
  ],
  [
    'initiated in the last second',
    'terms->initiate_before > clock->unix_time',
    'terms->initiate_before >= clock->unix_time',
    'terms that make no sense are refused',
  ],
  [
    'a window without limit',
    'REQUIRE(terms->initiate_before <= clock->unix_time + MAX_INITIATE_SECONDS, InvalidInitiateBefore);',
    '',
    'terms that make no sense are refused',
  ],
  [
    'the longest window is refused',
    'terms->initiate_before <= clock->unix_time +',
    'terms->initiate_before < clock->unix_time +',
    'the shortest and the longest terms are accepted',
  ],
  [
    'a window by slots',
    'clock->unix_time + MAX_INITIATE_SECONDS',
    '(i64)clock->slot + MAX_INITIATE_SECONDS',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  ['an initiator of zero', '!is_zero(&initiator->address) && ', '', 'terms that make no sense are refused'],
  ['a redeemer of zero', ' && !is_zero(&terms->redeemer)', '', 'terms that make no sense are refused'],
  [
    'initiator and redeemer are the same',
    'REQUIRE(!equal(&initiator->address, &terms->redeemer), SameInitiatorAndRedeemer);',
    '',
    'terms that make no sense are refused',
  ],
  [
    'addresses are compared by their first word',
    'return a->words[0] == b->words[0] && a->words[1]',
    'return a->words[0] == b->words[0] || a->words[1]',
    'addresses are compared to the last byte',
  ],
  [
    'an amount that wraps around',
    'REQUIRE(terms->amount <= ~0ULL - rent, AmountTooLarge);',
    '',
    'an amount near the limit of 64 bits does not wrap around',
  ],
  [
    'an order without a key is not asked for',
    'REQUIRE(is_derived(order_account, created.seeds, call->program, &bump), WrongOrderAddress);\n  TRY(create_account(rent_payer, &created));\n  if',
    'TRY(sol_try_find_program_address(seeds, 5, call->program, &(bytes32){{0, 0, 0, 0}}, &bump));\n  TRY(create_account(rent_payer, &created));\n  if',
    'an account with a key is neither an order nor a vault, even if it signs',
  ],
  [
    'derived by any program',
    'sol_try_find_program_address(seeds.seeds, seeds.count - 1, program, &address, bump) == 0 && equal(',
    'equal(',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'derived without all terms',
    'sol_try_find_program_address(seeds.seeds, seeds.count - 1,',
    'sol_try_find_program_address(seeds.seeds, seeds.count - 2,',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'an order that is there is made again',
    'REQUIRE(is_unused(order_account), DuplicateOrder);\n  u64 rent;',
    'u64 rent;',
    'the same terms cannot be initiated twice',
  ],
  [
    'the address does not name the redeemer',
    '                   {&terms->redeemer, 32},\n                   {&terms->secret_hash, 32},\n                   {&terms->amount, 16},\n                   {&bump, 1}};\n  u64',
    '                   {&terms->secret_hash, 32},\n                   {&terms->secret_hash, 32},\n                   {&terms->amount, 16},\n                   {&bump, 1}};\n  u64',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'the address does not name the timelock',
    '{&terms->amount, 16},\n                   {&bump, 1}};\n  u64',
    '{&terms->amount, 8},\n                   {&bump, 1}};\n  u64',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'the rent is not paid',
    'one_pays_all ? rent + terms->amount : rent,',
    'one_pays_all ? rent + terms->amount : 1,',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'the amount is not paid',
    'if (!one_pays_all) TRY(transfer_lamports(funder, order_account, terms->amount));',
    '',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'the rent payer pays the amount',
    'TRY(transfer_lamports(funder, order_account',
    'TRY(transfer_lamports(rent_payer, order_account',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'one who pays all pays no rent',
    'one_pays_all ? rent + terms->amount',
    'one_pays_all ? terms->amount',
    'one key can pay amount and rent, and be the initiator',
  ],
  ['half of the rent', '*lamports = once * 2;', '*lamports = once;', 'the rent follows the cluster'],
  [
    'twice the rent',
    'else if (rent.threshold_bits == 0x3ff0000000000000) *lamports = once;',
    'else if (rent.threshold_bits == 0x3ff0000000000000) *lamports = once * 2;',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  ['rent that is not known', 'else return UnknownRent;', 'else *lamports = once;', 'the rent follows the cluster'],
  [
    'the rent payer is not noted',
    'written->rent_payer = rent_payer->address;',
    'written->rent_payer = initiator->address;',
    'the account of the order says all of its terms',
  ],
  ['the slot is not noted', 'written->initiated_slot = clock->slot;', '', 'the account of the order says all of its terms'],
  ['the window is not noted', 'written->initiate_before = terms->initiate_before;', '', 'the account of the order says all of its terms'],
  [
    'funder and rent payer need not sign',
    'REQUIRE(funder->is_signer && rent_payer->is_signer, MissingSignature);\n  TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  u64 rent;',
    'TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  u64 rent;',
    'funder and rent payer must sign',
  ],
  [
    'sent lamports block an order',
    'if (created->at->lamports == 0) {',
    'if (1) {',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'sent lamports count as rent',
    'TRY(transfer_lamports(payer, created->at, created->lamports));',
    'TRY(transfer_lamports(payer, created->at, created->lamports - created->at->lamports));',
    'lamports that were sent to the address before do not get in the way',
  ],
  ['any secret', 'REQUIRE(equal(&hash, &open->secret_hash), WrongSecret);', '', 'a wrong secret is refused'],
  [
    'the hash is the secret',
    'sol_sha256(&secret, 1, &hash);',
    'hash = given->secret;',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'half of the secret',
    'slice secret = {&given->secret, sizeof(bytes32)};',
    'slice secret = {&given->secret, 16};',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'a longer secret',
    'REQUIRE(call->data_length == sizeof(redeem_data), InvalidInstruction);',
    'REQUIRE(call->data_length >= sizeof(redeem_data), InvalidInstruction);',
    'a wrong secret is refused',
  ],
  [
    'anyone is paid by a redeem',
    'REQUIRE(equal(&call->accounts[1]->address, &open->redeemer), WrongPayee);',
    '',
    'a redeem pays nobody but the redeemer',
  ],
  [
    'anyone is paid by a refund',
    'REQUIRE(equal(&call->accounts[1]->address, &open->initiator), WrongPayee);',
    '',
    'a refund pays nobody but the initiator, also when another funded it',
  ],
  [
    'a refund pays the redeemer',
    'equal(&call->accounts[1]->address, &open->initiator)',
    'equal(&call->accounts[1]->address, &open->redeemer)',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  ['a redeemed order stays open', 'return mark_settled(redeemed, REDEEMED);', 'return 0;', 'who shows the secret pays the redeemer'],
  [
    'a redeemed order counts as refunded',
    'mark_settled(redeemed, REDEEMED)',
    'mark_settled(redeemed, REFUNDED)',
    'who shows the secret pays the redeemer',
  ],
  [
    'the secret is not kept',
    'redeemed->secret_hash = ((const redeem_data *)call->data)->secret;',
    '',
    'who shows the secret pays the redeemer',
  ],
  [
    'the slot of a settlement is not noted',
    '| status | clock.slot << 24;',
    '| status;',
    'the account of a settled order says in which slot it was settled',
  ],
  [
    'only a part of the slot of a settlement',
    'clock.slot << 24;',
    '(clock.slot & 0xffff) << 24;',
    'the account of a settled order says in which slot it was settled',
  ],
  [
    'a refunded order stays open',
    'pay_sol(call, open->amount);\n  return mark_settled(open, REFUNDED);',
    'pay_sol(call, open->amount);\n  return 0;',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'nothing is taken from the order',
    'call->accounts[0]->lamports -= amount;',
    '',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'one lamport too much',
    'call->accounts[0]->lamports -= amount;\n  call->accounts[1]->lamports += amount;',
    'call->accounts[0]->lamports -= amount + 1;\n  call->accounts[1]->lamports += amount + 1;',
    'who shows the secret pays the redeemer',
  ],
  [
    'a refund at any time',
    'REQUIRE(clock.slot >= open->initiated_slot + open->timelock, OrderNotExpired);',
    '',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'a refund one slot late',
    'clock.slot >= open->initiated_slot',
    'clock.slot > open->initiated_slot',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'a refund by the second',
    'REQUIRE(clock.slot >= open',
    'REQUIRE((u64)clock.unix_time >= open',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'an instant refund without the redeemer',
    'REQUIRE(equal(&redeemer->address, &open->redeemer), NotTheRedeemer);',
    '',
    'an instant refund needs the signature of the redeemer and of nobody else',
  ],
  [
    'an instant refund without a signature',
    'REQUIRE(redeemer->is_signer, MissingSignature);',
    '',
    'an instant refund needs the signature of the redeemer and of nobody else',
  ],
  [
    'an instant refund by the initiator',
    'equal(&redeemer->address, &open->redeemer), NotTheRedeemer',
    'equal(&redeemer->address, &open->initiator), NotTheRedeemer',
    'the redeemer can permit a refund at once',
  ],
  ['settled orders are settled again', 'REQUIRE(checked->status == OPEN, OrderSettled);', '', 'a settled order is never paid again'],
  ['orders of any kind', 'REQUIRE(checked->kind == kind, WrongKind);', '', 'instructions for one kind of order are refused for the other'],
  [
    'orders of any program',
    'equal(&order_account->owner, call->program) && checked->status != 0',
    'checked->status != 0',
    'an account of another program that looks like an order is none',
  ],
  [
    'orders of zeros',
    'equal(&order_account->owner, call->program) && checked->status != 0',
    'equal(&order_account->owner, call->program)',
    'what was never initiated cannot be settled',
  ],
  ['an open order is closed', 'REQUIRE(settled->status != OPEN, OrderOpen);', '', 'an open order cannot be closed'],
  [
    'closed too early',
    'REQUIRE(clock.unix_time >= settled->initiate_before, TooEarlyToClose);',
    '',
    'the account of a settled order stays in the way until its window has ended, whoever sends lamports',
  ],
  [
    'closed one second late',
    'clock.unix_time >= settled->initiate_before',
    'clock.unix_time > settled->initiate_before',
    'a settled order gives its rent back, from the end of its window to initiate on',
  ],
  ['rent for anyone', 'REQUIRE(equal(&rent_payer->address, &settled->rent_payer), WrongRentPayer);', '', 'the rent goes to nobody else'],
  [
    'closed orders of any program',
    'equal(&order_account->owner, call->program) && settled->status != 0',
    'settled->status != 0',
    'an account of another program that looks like an order is none',
  ],
  [
    'a closed order stays ours',
    'order_account->owner = SYSTEM_PROGRAM;',
    '',
    'an account that gets lamports while it is closed does not stay an order',
  ],
  [
    'a closed order keeps its data',
    'words[i] = 0;\n  order_account->size = 0;\n  order_account->owner = SYSTEM_PROGRAM;',
    ';',
    'an account that gets lamports while it is closed does not stay an order',
  ],
  [
    'any number of accounts',
    'REQUIRE(call->account_count == (tag == REFUND_SOL ? 2 : 3), InvalidAccountCount);',
    '',
    'an instant refund needs the signature of the redeemer and of nobody else',
  ],
  [
    'any length of a close',
    'REQUIRE(call->account_count == 2, InvalidAccountCount);\n  REQUIRE(call->data_length == TAG_LENGTH, InvalidInstruction);',
    'REQUIRE(call->account_count == 2, InvalidAccountCount);',
    'every instruction takes exactly its accounts and its data',
  ],
  [
    'unknown tags close',
    'if (tag == CLOSE) return close(&call);',
    'return close(&call);',
    'every instruction takes exactly its accounts and its data',
  ],
]

const ofTokens: readonly Break[] = [
  [
    'the vault has another seed',
    '#define VAULT_SEED "thevault"',
    '#define VAULT_SEED "thevaul."',
    'the vault is what the order says, before and after it was settled',
  ],
  [
    'the base of the vault is the rent payer',
    '= {0, 3, order_account->address,',
    '= {0, 3, payer->address,',
    'the vault is what the order says, before and after it was settled',
  ],
  [
    'any order account',
    'REQUIRE(is_derived(order_account, created.seeds, call->program, &bump), WrongOrderAddress);\n  TRY(create_account(rent_payer, &created));\n  TRY(create_vault',
    'TRY(sol_try_find_program_address(seeds, 6, call->program, &(bytes32){{0, 0, 0, 0}}, &bump));\n  TRY(create_account(rent_payer, &created));\n  TRY(create_vault',
    'an account with a key is neither an order nor a vault, even if it signs',
  ],
  ['the bump is not noted', 'written->bump = bump;', '', 'lamports that were sent to the address before do not get in the way'],
  [
    'sent lamports block a vault',
    'if (vault->lamports == 0) {',
    'if (1) {',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'lamports that were sent to the vault count as rent',
    'TRY(transfer_lamports(payer, vault, lamports));',
    'TRY(transfer_lamports(payer, vault, lamports - vault->lamports));',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'any token account of the payee',
    'REQUIRE(is_associated(payee_tokens, payee, &paid->mint), WrongPayee);',
    '',
    'tokens go only to the associated token account of the payee for this mint',
  ],
  [
    'only the first bump is associated',
    'while (bump-- > 0);',
    'while (0);',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'any vault later',
    'REQUIRE(equal(&vault->address, &paid->vault), WrongVault);',
    '',
    'the vault is the order’s own, and holds nothing else',
  ],
  [
    'any token program at first',
    'REQUIRE(equal(&token_program->address, &TOKEN_PROGRAM), WrongTokenProgram);',
    '',
    'Token-2022 is refused, and so is a mint of it',
  ],
  [
    'any token program later',
    'REQUIRE(equal(&call->accounts[3]->address, &TOKEN_PROGRAM), WrongTokenProgram);',
    '',
    'Token-2022 is refused, and so is a mint of it',
  ],
  ['any mint', 'REQUIRE(equal(&mint->owner, &TOKEN_PROGRAM), WrongMint);', '', 'Token-2022 is refused, and so is a mint of it'],
  [
    'the address does not name the mint',
    '{&mint->address, 32},',
    '{&terms->redeemer, 32},',
    'the funder pays the amount and the rent payer pays the rent',
  ],
  [
    'tokens of anyone',
    'REQUIRE(equal(&((const token_account *)payee_tokens->data)->owner, payee), WrongPayee);',
    '',
    'an associated token account that was given away is not paid',
  ],
  [
    'a redeem pays the initiator',
    'TRY(pay_tokens(call, &open->redeemer));',
    'TRY(pay_tokens(call, &open->initiator));',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'a refund pays the redeemer’s tokens',
    'TRY(pay_tokens(call, &open->initiator));',
    'TRY(pay_tokens(call, &open->redeemer));',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'the amount and not the vault',
    '((const token_account *)vault->data)->amount, &signer',
    'paid->amount, &signer',
    'tokens that a stranger sends to the vault go to who is paid, and keep nothing open',
  ],
  [
    'the vault stays',
    'return close_vault(vault, order_account, &signer);',
    'return 0;',
    'lamports that a stranger sends to an open order change no payment',
  ],
  [
    'the rent of the vault goes to the payee',
    'close_vault(vault, order_account, &signer)',
    'close_vault(vault, payee_tokens, &signer)',
    'lamports that a stranger sends to an open order change no payment',
  ],
  ['less than the amount', 'terms->amount, 0));', 'terms->amount - 1, 0));', 'the funder pays the amount and the rent payer pays the rent'],
  [
    'the mint is the authority of the vault',
    '18, authority->address}',
    '18, mint->address}',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'a refunded order of tokens stays open',
    'TRY(pay_tokens(call, &open->initiator));\n  return mark_settled(open, REFUNDED);',
    'TRY(pay_tokens(call, &open->initiator));\n  return 0;',
    'a refund is possible from the slot of expiry on, and not one before',
  ],
  [
    'an order of tokens counts as SOL',
    'written->kind = TOKEN;',
    'written->kind = SOL;',
    'lamports that were sent to the address before do not get in the way',
  ],
  [
    'tokens are locked without signatures',
    'REQUIRE(funder->is_signer && rent_payer->is_signer, MissingSignature);\n  TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  REQUIRE(equal',
    'TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  REQUIRE(equal',
    'funder and rent payer must sign',
  ],
  [
    'the rent of the vault for the order',
    'minimum_balance(TOKEN_ORDER_SIZE, &order_rent)',
    'minimum_balance(SOL_ORDER_SIZE, &order_rent)',
    'the funder pays the amount and the rent payer pays the rent',
  ],
]

export const mutants: readonly Mutant[] = [
  ...ofSol.map(([name, text, replacement, noticedBy]) => ({ name, text, replacement, noticedBy, kind: 'SOL' as const })),
  ...ofTokens.map(([name, text, replacement, noticedBy]) => ({ name, text, replacement, noticedBy, kind: 'token' as const })),
]
