// Lists deliberately broken variants of the program, for orders of SOL and of tokens, each under the scenario that must notice it.
import { type Breaks, type Mutant, mutantsOf } from '@tandem/chain-kit/testing/mutants.ts'
import type { Kind } from '../testing/order.ts'
import { depositBreaks } from './deposit-mutants.ts'

const breaks: Readonly<Record<Kind, Breaks>> = {
  SOL: {
    'terms that make no sense are refused': [
      ['an amount of zero', 'REQUIRE(terms->amount != 0, ZeroAmount);', ''],
      ['a timelock of zero', 'terms->timelock != 0 && terms->timelock <= MAX_TIMELOCK', 'terms->timelock <= MAX_TIMELOCK'],
      ['a timelock without limit', 'terms->timelock != 0 && terms->timelock <= MAX_TIMELOCK', 'terms->timelock != 0'],
      ['initiated in the last second', 'terms->initiate_before > clock->unix_time', 'terms->initiate_before >= clock->unix_time'],
      ['a window without limit', 'REQUIRE(terms->initiate_before <= clock->unix_time + MAX_INITIATE_SECONDS, InvalidInitiateBefore);', ''],
      ['an initiator of zero', '!is_zero(&initiator->address) && ', ''],
      ['a redeemer of zero', ' && !is_zero(&terms->redeemer)', ''],
      ['initiator and redeemer are the same', 'REQUIRE(!equal(&initiator->address, &terms->redeemer), SameInitiatorAndRedeemer);', ''],
    ],
    'the shortest and the longest terms are accepted': [
      ['the longest timelock is refused', 'terms->timelock <= MAX_TIMELOCK', 'terms->timelock < MAX_TIMELOCK'],
      ['the longest window is refused', 'terms->initiate_before <= clock->unix_time +', 'terms->initiate_before < clock->unix_time +'],
    ],
    'a second transaction that was signed for the order never initiates it again': [
      ['initiated after its window', 'REQUIRE(terms->initiate_before > clock->unix_time, InitiateTooLate);', ''],
    ],
    'the funder pays the amount and the rent payer pays the rent': [
      ['a window by slots', 'clock->unix_time + MAX_INITIATE_SECONDS', '(i64)clock->slot + MAX_INITIATE_SECONDS'],
      [
        'derived by any program',
        'sol_try_find_program_address(seeds.seeds, seeds.count - 1, program, &address, bump) == 0 && equal(',
        'equal(',
      ],
      [
        'derived without all terms',
        'sol_try_find_program_address(seeds.seeds, seeds.count - 1,',
        'sol_try_find_program_address(seeds.seeds, seeds.count - 2,',
      ],
      [
        'the address does not name the redeemer',
        '                   {&terms->redeemer, 32},\n                   {&terms->secret_hash, 32},\n                   {&terms->amount, 16},\n                   {&bump, 1}};\n  u64',
        '                   {&terms->secret_hash, 32},\n                   {&terms->secret_hash, 32},\n                   {&terms->amount, 16},\n                   {&bump, 1}};\n  u64',
      ],
      [
        'the address does not name the timelock',
        '{&terms->amount, 16},\n                   {&bump, 1}};\n  u64',
        '{&terms->amount, 8},\n                   {&bump, 1}};\n  u64',
      ],
      ['the rent is not paid', 'one_pays_all ? rent + terms->amount : rent,', 'one_pays_all ? rent + terms->amount : 1,'],
      ['the amount is not paid', 'if (!one_pays_all) TRY(transfer_lamports(funder, order_account, terms->amount));', ''],
      ['the rent payer pays the amount', 'TRY(transfer_lamports(funder, order_account', 'TRY(transfer_lamports(rent_payer, order_account'],
      [
        'twice the rent',
        'else if (rent.threshold_bits == 0x3ff0000000000000) *lamports = once;',
        'else if (rent.threshold_bits == 0x3ff0000000000000) *lamports = once * 2;',
      ],
    ],
    'addresses are compared to the last byte': [
      [
        'addresses are compared by their first word',
        'return a->words[0] == b->words[0] && a->words[1]',
        'return a->words[0] == b->words[0] || a->words[1]',
      ],
    ],
    'an amount near the limit of 64 bits does not wrap around': [
      ['an amount that wraps around', 'REQUIRE(terms->amount <= ~0ULL - rent, AmountTooLarge);', ''],
    ],
    'an account with a key is neither an order nor a vault, even if it signs': [
      [
        'an order without a key is not asked for',
        'REQUIRE(is_derived(order_account, created.seeds, call->program, &bump), WrongOrderAddress);\n  TRY(create_account(rent_payer, &created));\n  if',
        'TRY(sol_try_find_program_address(seeds, 5, call->program, &(bytes32){{0, 0, 0, 0}}, &bump));\n  TRY(create_account(rent_payer, &created));\n  if',
      ],
    ],
    'the same terms cannot be initiated twice': [
      ['an order that is there is made again', 'REQUIRE(is_unused(order_account), DuplicateOrder);\n  u64 rent;', 'u64 rent;'],
    ],
    'one key can pay amount and rent, and be the initiator': [
      ['one who pays all pays no rent', 'one_pays_all ? rent + terms->amount', 'one_pays_all ? terms->amount'],
    ],
    'the rent follows the cluster': [
      ['half of the rent', '*lamports = once * 2;', '*lamports = once;'],
      ['rent that is not known', 'else return UnknownRent;', 'else *lamports = once;'],
    ],
    'the account of the order says all of its terms': [
      ['the rent payer is not noted', 'written->rent_payer = rent_payer->address;', 'written->rent_payer = initiator->address;'],
      ['the slot is not noted', 'written->initiated_slot = clock->slot;', ''],
      ['the window is not noted', 'written->initiate_before = terms->initiate_before;', ''],
    ],
    'funder and rent payer must sign': [
      [
        'funder and rent payer need not sign',
        'REQUIRE(funder->is_signer && rent_payer->is_signer, MissingSignature);\n  TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  u64 rent;',
        'TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  u64 rent;',
      ],
    ],
    'lamports that were sent to the address before do not get in the way': [
      ['sent lamports block an order', 'if (created->at->lamports == 0) {', 'if (1) {'],
      [
        'sent lamports count as rent',
        'TRY(transfer_lamports(payer, created->at, created->lamports));',
        'TRY(transfer_lamports(payer, created->at, created->lamports - created->at->lamports));',
      ],
      ['the hash is the secret', 'sol_sha256(&secret, 1, &hash);', 'hash = given->secret;'],
      ['half of the secret', 'slice secret = {&given->secret, sizeof(bytes32)};', 'slice secret = {&given->secret, 16};'],
      ['nothing is taken from the order', 'call->accounts[0]->lamports -= amount;', ''],
    ],
    'a wrong secret is refused': [
      ['any secret', 'REQUIRE(equal(&hash, &open->secret_hash), WrongSecret);', ''],
      [
        'a longer secret',
        'REQUIRE(call->data_length == sizeof(redeem_data), InvalidInstruction);',
        'REQUIRE(call->data_length >= sizeof(redeem_data), InvalidInstruction);',
      ],
    ],
    'a redeem pays nobody but the redeemer': [
      ['anyone is paid by a redeem', 'REQUIRE(equal(&call->accounts[1]->address, &open->redeemer), WrongPayee);', ''],
    ],
    'a refund pays nobody but the initiator, also when another funded it': [
      ['anyone is paid by a refund', 'REQUIRE(equal(&call->accounts[1]->address, &open->initiator), WrongPayee);', ''],
    ],
    'a refund is possible from the slot of expiry on, and not one before': [
      [
        'a refund pays the redeemer',
        'equal(&call->accounts[1]->address, &open->initiator)',
        'equal(&call->accounts[1]->address, &open->redeemer)',
      ],
      [
        'a refunded order stays open',
        'pay_sol(call, open->amount);\n  return mark_settled(open, REFUNDED);',
        'pay_sol(call, open->amount);\n  return 0;',
      ],
      ['a refund at any time', 'REQUIRE(clock.slot >= open->initiated_slot + open->timelock, OrderNotExpired);', ''],
      ['a refund one slot late', 'clock.slot >= open->initiated_slot', 'clock.slot > open->initiated_slot'],
      ['a refund by the second', 'REQUIRE(clock.slot >= open', 'REQUIRE((u64)clock.unix_time >= open'],
    ],
    'who shows the secret pays the redeemer': [
      ['a redeemed order stays open', 'return mark_settled(redeemed, REDEEMED);', 'return 0;'],
      ['a redeemed order counts as refunded', 'mark_settled(redeemed, REDEEMED)', 'mark_settled(redeemed, REFUNDED)'],
      ['the secret is not kept', 'redeemed->secret_hash = ((const redeem_data *)call->data)->secret;', ''],
      [
        'one lamport too much',
        'call->accounts[0]->lamports -= amount;\n  call->accounts[1]->lamports += amount;',
        'call->accounts[0]->lamports -= amount + 1;\n  call->accounts[1]->lamports += amount + 1;',
      ],
    ],
    'the account of a settled order says in which slot it was settled': [
      ['the slot of a settlement is not noted', '| status | clock.slot << 24;', '| status;'],
      ['only a part of the slot of a settlement', 'clock.slot << 24;', '(clock.slot & 0xffff) << 24;'],
    ],
    'an instant refund needs the signature of the redeemer and of nobody else': [
      ['an instant refund without the redeemer', 'REQUIRE(equal(&redeemer->address, &open->redeemer), NotTheRedeemer);', ''],
      ['an instant refund without a signature', 'REQUIRE(redeemer->is_signer, MissingSignature);', ''],
      ['any number of accounts', 'REQUIRE(call->account_count == (tag == REFUND_SOL ? 2 : 3), InvalidAccountCount);', ''],
    ],
    'the redeemer can permit a refund at once': [
      [
        'an instant refund by the initiator',
        'equal(&redeemer->address, &open->redeemer), NotTheRedeemer',
        'equal(&redeemer->address, &open->initiator), NotTheRedeemer',
      ],
    ],
    'anyone refunds at once with the signed consent of the redeemer, which signs no transaction': [
      ['a consent by the initiator', 'same_bytes(given->key, &open->redeemer, 32)', 'same_bytes(given->key, &open->initiator, 32)'],
    ],
    'a consent is of the redeemer and of nobody else': [['a consent by any key', 'same_bytes(given->key, &open->redeemer, 32) && ', '']],
    'a consent counts for one order only': [
      [
        'a consent is compared by the first byte of each part',
        'if (a[i] != ((const u8 *)b)[i]) return 0;',
        'if (a[i] != ((const u8 *)b)[i]) return i != 0;',
      ],
      ['a consent to any order', 'same_bytes(given->order, &order_account->address, 32) &&', ''],
      ['a consent to any initiation', ' &&\n         same_bytes(given->initiated_slot_and_before, &open->initiated_slot, 16);', ';'],
      [
        'a consent without the time of the initiation',
        'same_bytes(given->initiated_slot_and_before, &open->initiated_slot, 16)',
        'same_bytes(given->initiated_slot_and_before, &open->initiated_slot, 8)',
      ],
    ],
    'a consent stands right before the refund that it permits': [
      ['no consent before the first instruction', 'if (current == 0) return 0;', 'if (current == 0) return 1;'],
      ['a consent at the beginning', 'read_u16(data + 2 * current)', 'read_u16(data + 2)'],
    ],
    'a consent is an instruction of the Ed25519 program': [
      ['a consent to any program', 'same_bytes(given->program, &ED25519_PROGRAM, 32) && ', ''],
    ],
    'every byte of a consent counts': [
      ['a consent without its tag', ' && same_bytes(given->tag, CONSENT_TAG, 32)', ''],
      ['a consent with more behind it', ' && read_u16(given->data_length) == 192', ''],
    ],
    'key and message of a consent are where the signature is verified': [
      ['a consent that points elsewhere', 'same_bytes(given->head, CONSENT_HEAD, 16) && ', ''],
    ],
    'a settled order is never paid again': [['settled orders are settled again', 'REQUIRE(checked->status == OPEN, OrderSettled);', '']],
    'instructions for one kind of order are refused for the other': [
      ['orders of any kind', 'REQUIRE(checked->kind == kind, WrongKind);', ''],
    ],
    'an account of another program that looks like an order is none': [
      ['orders of any program', 'equal(&order_account->owner, call->program) && checked->status != 0', 'checked->status != 0'],
      ['closed orders of any program', 'equal(&order_account->owner, call->program) && settled->status != 0', 'settled->status != 0'],
    ],
    'what was never initiated cannot be settled': [
      [
        'orders of zeros',
        'equal(&order_account->owner, call->program) && checked->status != 0',
        'equal(&order_account->owner, call->program)',
      ],
    ],
    'an open order cannot be closed': [['an open order is closed', 'REQUIRE(settled->status != OPEN, OrderOpen);', '']],
    'the account of a settled order stays in the way until its window has ended, whoever sends lamports': [
      ['closed too early', 'REQUIRE(clock.unix_time >= settled->initiate_before, TooEarlyToClose);', ''],
    ],
    'a settled order gives its rent back, from the end of its window to initiate on': [
      ['closed one second late', 'clock.unix_time >= settled->initiate_before', 'clock.unix_time > settled->initiate_before'],
    ],
    'the rent goes to nobody else': [
      ['rent for anyone', 'REQUIRE(equal(&rent_payer->address, &settled->rent_payer), WrongRentPayer);', ''],
    ],
    'an account that gets lamports while it is closed does not stay an order': [
      ['a closed order stays ours', 'order_account->owner = SYSTEM_PROGRAM;', ''],
      ['a closed order keeps its data', 'words[i] = 0;\n  order_account->size = 0;\n  order_account->owner = SYSTEM_PROGRAM;', ';'],
    ],
    'every instruction takes exactly its accounts and its data': [
      [
        'any length of a close',
        'REQUIRE(call->account_count == 2, InvalidAccountCount);\n  REQUIRE(call->data_length == TAG_LENGTH, InvalidInstruction);',
        'REQUIRE(call->account_count == 2, InvalidAccountCount);',
      ],
      ['unknown tags close', 'if (tag == CLOSE) return close(&call);', 'return close(&call);'],
    ],
  },
  token: {
    'the vault is what the order says, before and after it was settled': [
      ['the vault has another seed', '#define VAULT_SEED "thevault"', '#define VAULT_SEED "thevaul."'],
      ['the base of the vault is the rent payer', '= {0, 3, order_account->address,', '= {0, 3, payer->address,'],
    ],
    'an account with a key is neither an order nor a vault, even if it signs': [
      [
        'any order account',
        'REQUIRE(is_derived(order_account, created.seeds, call->program, &bump), WrongOrderAddress);\n  TRY(create_account(rent_payer, &created));\n  TRY(create_vault',
        'TRY(sol_try_find_program_address(seeds, 6, call->program, &(bytes32){{0, 0, 0, 0}}, &bump));\n  TRY(create_account(rent_payer, &created));\n  TRY(create_vault',
      ],
    ],
    'lamports that were sent to the address before do not get in the way': [
      ['the bump is not noted', 'written->bump = bump;', ''],
      ['sent lamports block a vault', 'if (vault->lamports == 0) {', 'if (1) {'],
      [
        'lamports that were sent to the vault count as rent',
        'TRY(transfer_lamports(payer, vault, lamports));',
        'TRY(transfer_lamports(payer, vault, lamports - vault->lamports));',
      ],
      ['a redeem pays the initiator', 'TRY(pay_tokens(call, &open->redeemer));', 'TRY(pay_tokens(call, &open->initiator));'],
      ['the mint is the authority of the vault', '18, authority->address}', '18, mint->address}'],
      ['an order of tokens counts as SOL', 'written->kind = TOKEN;', 'written->kind = SOL;'],
    ],
    'tokens go only to the associated token account of the payee for this mint': [
      ['any token account of the payee', 'REQUIRE(is_associated(payee_tokens, payee, &paid->mint, &TOKEN_PROGRAM), WrongPayee);', ''],
    ],
    'a refund is possible from the slot of expiry on, and not one before': [
      ['only the first bump is associated', 'while (bump-- > 0);', 'while (0);'],
      ['a refund pays the redeemer’s tokens', 'TRY(pay_tokens(call, &open->initiator));', 'TRY(pay_tokens(call, &open->redeemer));'],
      [
        'a refunded order of tokens stays open',
        'TRY(pay_tokens(call, &open->initiator));\n  return mark_settled(open, REFUNDED);',
        'TRY(pay_tokens(call, &open->initiator));\n  return 0;',
      ],
    ],
    'the vault is the order’s own, and holds nothing else': [
      ['any vault later', 'REQUIRE(equal(&vault->address, &paid->vault), WrongVault);', ''],
    ],
    'Token-2022 is refused, and so is a mint of it': [
      ['any token program at first', 'REQUIRE(equal(&token_program->address, &TOKEN_PROGRAM), WrongTokenProgram);', ''],
      ['any token program later', 'REQUIRE(equal(&call->accounts[3]->address, &TOKEN_PROGRAM), WrongTokenProgram);', ''],
      ['any mint', 'REQUIRE(equal(&mint->owner, &TOKEN_PROGRAM), WrongMint);', ''],
    ],
    'the funder pays the amount and the rent payer pays the rent': [
      ['the address does not name the mint', '{&mint->address, 32},', '{&terms->redeemer, 32},'],
      ['less than the amount', 'terms->amount, 0));', 'terms->amount - 1, 0));'],
      [
        'the rent of the vault for the order',
        'minimum_balance(TOKEN_ORDER_SIZE, &order_rent)',
        'minimum_balance(SOL_ORDER_SIZE, &order_rent)',
      ],
    ],
    'an associated token account that was given away is not paid': [
      ['tokens of anyone', 'REQUIRE(equal(&((const token_account *)payee_tokens->data)->owner, payee), WrongPayee);', ''],
    ],
    'tokens that a stranger sends to the vault go to who is paid, and keep nothing open': [
      ['the amount and not the vault', '((const token_account *)vault->data)->amount, &signer', 'paid->amount, &signer'],
    ],
    'lamports that a stranger sends to an open order change no payment': [
      ['the vault stays', 'return close_vault(vault, order_account, &signer);', 'return 0;'],
      [
        'the rent of the vault goes to the payee',
        'close_vault(vault, order_account, &signer)',
        'close_vault(vault, payee_tokens, &signer)',
      ],
    ],
    'funder and rent payer must sign': [
      [
        'tokens are locked without signatures',
        'REQUIRE(funder->is_signer && rent_payer->is_signer, MissingSignature);\n  TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  REQUIRE(equal',
        'TRY(check_terms(terms, initiator, &clock));\n  REQUIRE(is_unused(order_account), DuplicateOrder);\n  REQUIRE(equal',
      ],
    ],
  },
}

export function mutantsFor(kind: Kind): readonly Mutant[] {
  return [...mutantsOf(breaks[kind]), ...mutantsOf(depositBreaks[kind])]
}
