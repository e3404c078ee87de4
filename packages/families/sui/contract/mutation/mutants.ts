// Deliberately broken variants of the module. Each names the scenario that must notice it.

export interface Mutant {
  readonly name: string
  /** Stands once in the source. */
  readonly text: string
  readonly replacement: string
  readonly noticedBy: string
}

type Break = readonly [name: string, text: string, replacement: string]

const breaks: Readonly<Record<string, readonly Break[]>> = {
  'terms that can only be a mistake are refused': [
    ['any initiator', 'assert!(initiator != @0x0, EZeroInitiator);', ''],
    ['any redeemer', 'assert!(redeemer != @0x0, EZeroRedeemer);', ''],
    ['an order with oneself', 'assert!(initiator != redeemer, ESameParties);', ''],
    ['the registry initiates', 'initiator != this && redeemer != this', 'redeemer != this'],
    ['the registry redeems', 'initiator != this && redeemer != this', 'initiator != this'],
    ['no timelock', 'timelock != 0 && timelock <= MAX_TIMELOCK', 'timelock <= MAX_TIMELOCK'],
    ['any timelock', 'timelock != 0 && timelock <= MAX_TIMELOCK', 'timelock != 0'],
    ['a millisecond more', 'MAX_TIMELOCK: u64 = 2_592_000_000', 'MAX_TIMELOCK: u64 = 2_592_000_001'],
    ['a millisecond less', 'timelock <= MAX_TIMELOCK', 'timelock < MAX_TIMELOCK'],
    ['no amount', 'assert!(amount != 0, EZeroAmount);', ''],
    ['a hash of any length', 'assert!(secret_hash.length() == SECRET_LENGTH, EInvalidSecretHash);', ''],
    ['a longer hash', 'secret_hash.length() == SECRET_LENGTH', 'secret_hash.length() >= SECRET_LENGTH'],
    ['a shorter hash', 'secret_hash.length() == SECRET_LENGTH', 'secret_hash.length() <= SECRET_LENGTH'],
  ],
  'an order is paid for with exactly its amount': [
    ['any coin', 'assert!(coin.value() == amount, EWrongCoinValue);', ''],
    ['a larger coin', 'coin.value() == amount', 'coin.value() >= amount'],
    ['a smaller coin', 'coin.value() == amount', 'coin.value() <= amount'],
  ],
  'a redeemed order pays the redeemer once, and can neither be refunded nor initiated again': [
    ['an order again', 'assert!(registry.state(order_id) == NEVER_INITIATED, EDuplicateOrder);', ''],
    ['a settled order again', 'registry.state(order_id) == NEVER_INITIATED', 'registry.state(order_id) <= REFUNDED'],
    ['settled orders are forgotten', 'field::add(&mut registry.id, order_id, Settled { mark });', 'assert!(mark != 0, EOrderSettled);'],
    ['a redeemed order is a refunded one', 'registry.settle(order_id, REDEEMED)', 'registry.settle(order_id, REFUNDED)'],
    ['settled orders are open', 'assert!(state != REDEEMED && state != REFUNDED, EOrderSettled);', ''],
    ['orders that never were are open', 'assert!(state != NEVER_INITIATED, EOrderNotInitiated);', ''],
    [
      'the initiator is paid',
      'let Order { redeemer, secret_hash, funds, .. }',
      'let Order { initiator: redeemer, secret_hash, funds, .. }',
    ],
    [
      'the caller is paid',
      'transfer::public_transfer(coin::from_balance(funds, ctx), redeemer);',
      'let payee = ctx.sender(); assert!(redeemer != payee, EWrongSecret); transfer::public_transfer(coin::from_balance(funds, ctx), payee);',
    ],
    ['no event of the redeem', 'event::emit(Redeemed { registry: registry.id.to_address(), order_id, secret });', ''],
    [
      'the event shows the hash',
      'registry: registry.id.to_address(), order_id, secret }',
      'registry: registry.id.to_address(), order_id, secret: secret_hash }',
    ],
    ['the event of the redeem names nobody', 'Redeemed { registry: registry.id.to_address()', 'Redeemed { registry: @0x0'],
    ['another time of initiation', 'let initiated_at = clock.timestamp_ms();', 'let initiated_at = clock.timestamp_ms() + 1;'],
    ['the timelock as time of initiation', 'Order<C>>(&registry.id, order_id).initiated_at', 'Order<C>>(&registry.id, order_id).timelock'],
  ],
  'an order that another pays for is refunded to the initiator, from the millisecond of expiry on': [
    ['no timelock at all', 'assert!(clock.timestamp_ms() >= order.initiated_at + order.timelock, EOrderNotExpired);', ''],
    ['a millisecond too late', 'clock.timestamp_ms() >= order.initiated_at', 'clock.timestamp_ms() > order.initiated_at'],
    ['a timelock from the beginning of time', '>= order.initiated_at + order.timelock', '>= order.timelock'],
    ['a refund to the redeemer', 'let Order { initiator, funds, .. } = order;', 'let Order { redeemer: initiator, funds, .. } = order;'],
    [
      'a refund to the caller',
      'transfer::public_transfer(coin::from_balance(funds, ctx), initiator);',
      'let payee = ctx.sender(); assert!(initiator != payee, EWrongSecret); transfer::public_transfer(coin::from_balance(funds, ctx), payee);',
    ],
    ['a refunded order is open', 'state != REDEEMED && state != REFUNDED', 'state != REDEEMED'],
    ['a refunded order is a redeemed one', 'REFUNDED);\n    assert!(clock', 'REDEEMED);\n    assert!(clock'],
    ['no event of the refund', 'event::emit(Refunded { registry: registry.id.to_address(), order_id });', ''],
    ['the event of the refund names nobody', 'Refunded { registry: registry.id.to_address()', 'Refunded { registry: @0x0'],
    [
      'the payer is the initiator',
      '        registry: this,\n        order_id,\n        initiator,',
      '        registry: this,\n        order_id,\n        initiator: @0xca401,',
    ],
  ],
  'orders that differ in one term are different orders': [
    ['an id without the initiator', 'terms.append(bcs::to_bytes(&initiator));', ''],
    ['an id without the redeemer', 'terms.append(bcs::to_bytes(&redeemer));', ''],
    ['an id without the hash', 'terms.append(secret_hash);', ''],
    ['an id without the amount', 'terms.append(bcs::to_bytes(&amount));', ''],
    ['an id without the timelock', 'terms.append(bcs::to_bytes(&timelock));', ''],
    ['an id without the registry', 'terms.append(registry.id.to_bytes());', ''],
    ['an id without the tag', 'let mut terms = ORDER_TAG;', 'let mut terms = vector[];'],
  ],
  'a transaction that names a deadline happens before it only': [
    ['no deadline', 'assert!(clock.timestamp_ms() < deadline, ETooLate);', 'assert!(clock.timestamp_ms() + deadline > 0, ETooLate);'],
    ['a millisecond after the deadline', 'clock.timestamp_ms() < deadline', 'clock.timestamp_ms() <= deadline'],
    ['after the deadline', 'clock.timestamp_ms() < deadline', 'clock.timestamp_ms() > deadline'],
  ],
  'only a secret of 32 bytes with the hash of the order redeems it': [
    ['any secret', 'secret.length() == SECRET_LENGTH && sha2_256(secret) == secret_hash', 'secret.length() == SECRET_LENGTH'],
    ['a secret of any length', 'secret.length() == SECRET_LENGTH && sha2_256(secret) == secret_hash', 'sha2_256(secret) == secret_hash'],
    ['a longer secret', 'secret.length() == SECRET_LENGTH && sha2', 'secret.length() >= SECRET_LENGTH && sha2'],
    ['a shorter secret', 'secret.length() == SECRET_LENGTH && sha2', 'secret.length() <= SECRET_LENGTH && sha2'],
    ['the hash itself', 'sha2_256(secret) == secret_hash', '(sha2_256(secret) == secret_hash || secret == secret_hash)'],
  ],
  'the redeemer gives an order back at once by sending the transaction': [
    ['anyone gives back', 'assert!(ctx.sender() == order.redeemer, ENotRedeemer);', ''],
    ['the initiator gives back', 'ctx.sender() == order.redeemer', 'ctx.sender() == order.initiator'],
    ['an instant refund is a redeem', 'REFUNDED);\n    assert!(ctx.sender()', 'REDEEMED);\n    assert!(ctx.sender()'],
  ],
  'the redeemer gives an order back at once by its signature of that order': [
    [
      'a signature of anyone',
      'ed25519_address(public_key) == bcs::to_bytes(&order.redeemer)\n            && ed25519_verify',
      'ed25519_verify',
    ],
    [
      'no signature',
      '            && ed25519_verify(&signature, &public_key, &digest),',
      '            && (digest.length() + signature.length() >= 0),',
    ],
    ['key or signature', '            && ed25519_verify', '            || ed25519_verify'],
    ['the initiator signs', 'bcs::to_bytes(&order.redeemer)', 'bcs::to_bytes(&order.initiator)'],
    ['a refund of any order', 'message.append(order_id);', ''],
    ['a refund in any registry', 'message.append(registry.id.to_bytes());', ''],
    ['a message without the tag', 'let mut message = REFUND_TAG;', 'let mut message = vector[];'],
    ['a message without an intent', 'let mut intent_message = PERSONAL_MESSAGE_INTENT;', 'let mut intent_message = vector[];'],
    ['the intent of a transaction', 'vector[3, 0, 0]', 'vector[0, 0, 0]'],
    ['a key of another kind', 'ED25519_FLAG: u8 = 0', 'ED25519_FLAG: u8 = 1'],
    ['a signed refund is a redeem', 'REFUNDED);\n    let digest', 'REDEEMED);\n    let digest'],
  ],
}

export const mutants: readonly Mutant[] = Object.entries(breaks).flatMap(([noticedBy, list]) =>
  list.map(([name, text, replacement]) => ({ name, text, replacement, noticedBy })),
)
