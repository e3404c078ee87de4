// Lists deliberately broken variants of deposits, each under the scenario that must notice it. Some of the code serves one kind of order only.
import type { Breaks } from '@tandem/chain-kit/testing/mutants.ts'
import type { Kind } from '../testing/order.ts'

export const depositBreaks: Readonly<Record<Kind, Breaks>> = {
  SOL: {
    'every term and the deadline are part of the deposit address': [
      ['a deposit without its deadline', '(slice){&terms->initiate_before, 8}', '(slice){&terms->initiate_before, 0}'],
      ['a deposit without its order', '(slice){&order_account->address, 32}', '(slice){&order_account->address, 0}'],
      [
        'any deposit of SOL',
        'REQUIRE(is_derived(deposit, signer, call->program, &named.bump), WrongDeposit);\n  REQUIRE(deposit->lamports',
        'is_derived(deposit, signer, call->program, &named.bump);\n  REQUIRE(deposit->lamports',
      ],
      [
        'any deposit is returned',
        'REQUIRE(is_derived(deposit, *signer, call->program, bump), WrongDeposit);',
        'is_derived(deposit, *signer, call->program, bump);',
      ],
      ['a return for any order', 'REQUIRE(is_order_of(order_account, given, initiator, call->program), WrongOrderAddress);', ''],
    ],
    'a deposit may come in parts, and the order takes the amount and no more': [
      ['a deposit that is too small', 'REQUIRE(deposit->lamports >= terms->amount, DepositTooSmall);', ''],
      ['all of a deposit is locked', 'u64 taken = terms->amount,', 'u64 taken = deposit->lamports,'],
      ['a return keeps a lamport', 'deposit->lamports, &signer);', 'deposit->lamports - 1, &signer);'],
    ],
    'a rest that no account may keep goes to the initiator: no gift of a lamport blocks a deposit': [
      ['a lamport too much blocks a deposit', 'if (rest != 0 && rest < minimum) {', 'if (0) {'],
      ['a rest that could stay is paid out', 'rest != 0 && rest < minimum', 'rest != 0 && rest <= minimum'],
      ['the rent payer gets the rest', 'if (initiator->lamports + rest >= minimum) TRY', 'if (0) TRY'],
    ],
    'a rest that the initiator cannot hold either goes to the rent payer': [
      ['the initiator always gets the rest', 'if (initiator->lamports + rest >= minimum) TRY', 'if (1) TRY'],
      ['the rest counts twice', 'initiator->lamports + rest >= minimum', 'initiator->lamports + rest > minimum + rest'],
    ],
    'a deposit is locked until the second before its deadline, and from then on returned by anyone': [
      [
        'anyone returns a deposit too early',
        'REQUIRE(is_opened || clock.unix_time >= given->terms.initiate_before, TooEarlyToReturn);',
        '',
      ],
      ['a return one second late', 'clock.unix_time >= given->terms.initiate_before', 'clock.unix_time > given->terms.initiate_before'],
      ['a return only once it was opened', 'is_opened || clock.unix_time >= given->terms.initiate_before', 'is_opened'],
    ],
    'the initiator takes its deposit back at any time, and nobody else does in its name': [
      ['the signature of the owner counts nothing', 'if (initiator->is_signer || !equal', 'if (!equal'],
      [
        'any owner',
        '{&initiator->address, 32},\n                   {&given->terms.redeemer',
        '{&given->terms.redeemer, 32},\n                   {&given->terms.redeemer',
      ],
    ],
    'an order locks no second payment: a deposit that comes later goes back, while it is open, settled and closed': [
      ['a deposit that comes later waits', 'REQUIRE(is_opened || clock', 'REQUIRE(clock'],
    ],
    'an account that only looks like the opened order returns nothing early': [
      [
        'an opened order of any program',
        'equal(&order_account->owner, call->program) && ((const order *)order_account->data)->status != 0',
        '((const order *)order_account->data)->status != 0',
      ],
      [
        'an opened order of zeros',
        'equal(&order_account->owner, call->program) && ((const order *)order_account->data)->status != 0',
        'equal(&order_account->owner, call->program)',
      ],
    ],
    'what is not of the order’s kind goes back at any time, and what is stays': [
      ['what is foreign stays', ' || !equal(returned, &given->mint)) return 0;', ') return 0;'],
      [
        'nothing is foreign',
        'if (initiator->is_signer || !equal(returned, &given->mint)) return 0;',
        'if (initiator->is_signer || 1) return 0;',
      ],
    ],
    'a return names the mint of its order: another one makes no deposit foreign': [
      ['any length of a return', 'REQUIRE(call->data_length == sizeof(return_data), InvalidInstruction);', ''],
    ],
    'every instruction takes exactly its accounts and its data': [
      ['any accounts of a return', 'REQUIRE(call->account_count == 4, InvalidAccountCount);\n  account *deposit', 'account *deposit'],
      ['unknown tags return', 'if (tag == RETURN_TOKENS) return return_tokens(call);', 'return return_tokens(call);'],
    ],
    'a program that is none of the two Token programs gets no signature of a deposit': [
      [
        'a deposit signs for any program',
        'REQUIRE(equal(token_program, &TOKEN_PROGRAM) || equal(token_program, &TOKEN_2022_PROGRAM), WrongTokenProgram);',
        '',
      ],
      ['tokens of any program', 'REQUIRE(equal(&tokens->owner, token_program), WrongTokenProgram);', ''],
    ],
    'tokens of Token-2022 fund no order and go back at any time': [
      ['no return of Token-2022', ' || equal(token_program, &TOKEN_2022_PROGRAM)', ''],
      ['other decimals', '#define DECIMALS_OFFSET 44', '#define DECIMALS_OFFSET 45'],
    ],
  },
  token: {
    'every term and the deadline are part of the deposit address': [
      [
        'any deposit of tokens',
        'REQUIRE(is_derived(deposit, signer, call->program, &named.bump), WrongDeposit);\n  REQUIRE(is_associated',
        'is_derived(deposit, signer, call->program, &named.bump);\n  REQUIRE(is_associated',
      ],
      ['a deposit for any mint', '{&given->mint, 32},', '{&given->terms.redeemer, 32},'],
    ],
    'only the associated account of the deposit funds an order, and any token account of it is returned': [
      [
        'any account of tokens funds an order',
        'REQUIRE(is_associated(tokens, &deposit->address, &mint->address, &TOKEN_PROGRAM), WrongDeposit);',
        '',
      ],
      ['tokens of anybody are returned', 'REQUIRE(equal(&held->owner, &deposit->address), WrongDeposit);', ''],
    ],
    'the rent payer of a deposit must sign, and has no access to the rest': [
      [
        'the rent payer may take all',
        'approve_tokens(tokens, rent_payer, deposit, terms->amount, &signer)',
        'approve_tokens(tokens, rent_payer, deposit, ~0ULL, &signer)',
      ],
    ],
    'returned tokens go to the associated account of the initiator alone, and so does the rent': [
      ['returned to anybody', 'REQUIRE(is_associated(initiator_tokens, &initiator->address, &held->mint, token_program), WrongPayee);', ''],
      [
        'the rent goes to the deposit',
        'close_tokens(tokens, initiator, deposit, &signer)',
        'close_tokens(tokens, deposit, deposit, &signer)',
      ],
      ['the account stays', 'return close_tokens(tokens, initiator, deposit, &signer);', 'return 0;'],
    ],
    'a return waits for an associated account of the initiator that exists and was not given away': [
      [
        'returned to an account that was given away',
        'REQUIRE(equal(&((const token_account *)initiator_tokens->data)->owner, &initiator->address), WrongPayee);',
        '',
      ],
    ],
    'a deposit may come in parts, and the order takes the amount and no more': [
      [
        'a return keeps a token',
        '12, ((const token_account *)from->data)->amount,',
        '12, ((const token_account *)from->data)->amount - 1,',
      ],
    ],
  },
}
