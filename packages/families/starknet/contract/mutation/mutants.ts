// Lists deliberately broken variants of the contract. Each names the scenario that must notice it.
import { mutantsOf } from '@tandem/chain-kit/testing/mutants.ts'

const refused = 'terms that can only be a mistake are refused'
const redeemed = 'a redeemed order pays the redeemer once, and can neither be refunded nor initiated again'
const onBehalf = 'an order on behalf is paid by the caller and refunded to the initiator, from the second of expiry on'
const late = 'a redeem after expiry counts until the refund'
const large = 'amounts above 128 bits are locked and paid whole'
const signed = 'a signed initiation is paid by its signer, whoever sends it, and counts once'
const usedUp = 'the signature of a refunded order is used up'
const answers = 'an account agrees with VALID or with 1, and with nothing else'
const byCall = 'the redeemer gives an order back at once by calling'
const bySignature = 'the redeemer gives an order back at once by its signature of that order'
const otherChain = 'a chain that changes its id settles open orders, and takes signatures for the new id only'
const cheating = 'a token that answers false, takes a fee or delivers nothing locks no order'
const unpaid = 'a payment that the token refuses leaves the order open'

export const mutants = mutantsOf({
  [refused]: [
    ['any initiator', 'assert(Zero::is_non_zero(@initiator), errors::ZERO_INITIATOR);', ''],
    ['any redeemer', 'assert(Zero::is_non_zero(@redeemer), errors::ZERO_REDEEMER);', ''],
    ['an order with oneself', 'assert(initiator != redeemer, errors::SAME_PARTIES);', ''],
    ['the contract initiates', 'initiator != this && redeemer != this', 'redeemer != this'],
    ['the contract redeems', 'initiator != this && redeemer != this', 'initiator != this'],
    ['no timelock', 'timelock != 0 && timelock <= MAX_TIMELOCK', 'timelock <= MAX_TIMELOCK'],
    ['any timelock', 'timelock != 0 && timelock <= MAX_TIMELOCK', 'timelock != 0'],
    ['a second more', 'MAX_TIMELOCK: u128 = 2592000', 'MAX_TIMELOCK: u128 = 2592001'],
    ['a second less', 'timelock <= MAX_TIMELOCK', 'timelock < MAX_TIMELOCK'],
    ['no amount', 'assert(amount != 0, errors::ZERO_AMOUNT);', ''],
  ],
  [redeemed]: [
    ['an order again', 'assert(self.initiated_at.read(order_id) == 0, errors::DUPLICATE_ORDER);', ''],
    ['a redeemed order is forgotten', 'self.initiated_at.write(order_id, REDEEMED);', 'self.initiated_at.write(order_id, 0);'],
    ['a redeemed order stays open', 'self.initiated_at.write(order_id, REDEEMED);', ''],
    ['a redeemed order is a refunded one', 'const REDEEMED: u64 = 1;', 'const REDEEMED: u64 = 2;'],
    ['settled orders are open', 'assert(initiated_at > REFUNDED, errors::ORDER_SETTLED);', ''],
    ['orders that never were are open', 'assert(initiated_at != 0, errors::ORDER_NOT_INITIATED);', ''],
    [
      'the initiator is paid',
      'transfers::push(self.token.read(), redeemer, amount);',
      'transfers::push(self.token.read(), initiator, amount);',
    ],
    [
      'the caller is paid',
      'transfers::push(self.token.read(), redeemer, amount);',
      'transfers::push(self.token.read(), get_caller_address(), amount);',
    ],
  ],
  [late]: [
    ['nothing is written', 'self.initiated_at.write(order_id, get_block_timestamp());', ''],
    ['no event of the initiation', 'self.emit(Initiated { order_id, initiator, redeemer, timelock, amount, secret_hash });', ''],
    ['no event of the redeem', 'self.emit(Redeemed { order_id, secret });', ''],
    ['the event shows the hash', 'self.emit(Redeemed { order_id, secret });', 'self.emit(Redeemed { order_id, secret: secret_hash });'],
    ['another hash', 'array![a, b, c, d, e, f, g, h], 0, 0', 'array![a, b, c, d, e, f, g], 0, 0'],
    ['an id without the chain', '            chain_id,\n            contract.into(),', '            0,\n            contract.into(),'],
    ['an id without the contract', '            contract.into(),', '            0,'],
    ['an id without the initiator', '            order.initiator.into(),', '            0,'],
    ['an id without the redeemer', '            order.redeemer.into(),', '            0,'],
    ['an id without the timelock', '            order.timelock.into(),\n', '            0,\n'],
    ['an id without the amount', '            order.amount.low.into(),\n            order', '            0,\n            order'],
    ['an id without the hash', '            h.into(),\n', '            0,\n'],
  ],
  [large]: [['an id without the high half', '            order.amount.high.into(),\n', '            0,\n']],
  [onBehalf]: [
    ['the initiator pays', 'self.open(order, payer: get_caller_address());', 'self.open(order, payer: initiator);'],
    ['no timelock at all', 'assert(age.into() >= timelock, errors::ORDER_NOT_EXPIRED);', ''],
    ['a second too late', 'age.into() >= timelock', 'age.into() > timelock'],
    ['a refunded order is open', 'initiated_at > REFUNDED', 'initiated_at > REDEEMED'],
    [
      'a refund to the caller',
      'transfers::push(self.token.read(), initiator, amount);',
      'transfers::push(self.token.read(), get_caller_address(), amount);',
    ],
    ['no event of the refund', 'self.emit(Refunded { order_id });', ''],
  ],
  [usedUp]: [['a refunded order is forgotten', 'self.initiated_at.write(order_id, REFUNDED);', 'self.initiated_at.write(order_id, 0);']],
  [signed]: [
    ['no signature of the initiator', 'assert(snip12::is_signed_by(initiator, digest, signature), errors::INVALID_SIGNATURE);', ''],
    [
      'the sender of a signature pays',
      'errors::INVALID_SIGNATURE);\n            self.open(order, payer: initiator);',
      'errors::INVALID_SIGNATURE);\n            self.open(order, payer: get_caller_address());',
    ],
    ['one domain for all deployments', 'DOMAIN_TYPE_HASH, domain_name, VERSION', "DOMAIN_TYPE_HASH, 'HTLC', VERSION"],
    ['a shorter name', 'ADDRESS_DIGITS: u32 = 26', 'ADDRESS_DIGITS: u32 = 25'],
    ['one domain for all chains', 'VERSION, chain_id, REVISION', 'VERSION, 0, REVISION'],
    ['a message without the signer', 'signer.into(), message_hash]', '0, message_hash]'],
    ['a message without the amount', 'order.redeemer.into(), amount, order.timelock', 'order.redeemer.into(), 0, order.timelock'],
    ['a message without the redeemer', 'INITIATE_TYPE_HASH, order.redeemer.into(),', 'INITIATE_TYPE_HASH, 0,'],
  ],
  [answers]: [
    ['VALID is not enough', "(*answer[0] == 'VALID' || *answer[0] == 1)", '*answer[0] == 1'],
    ['1 is not enough', "(*answer[0] == 'VALID' || *answer[0] == 1)", "*answer[0] == 'VALID'"],
    ['anything is enough', "(*answer[0] == 'VALID' || *answer[0] == 1)", '*answer[0] != 0'],
    ['a panic is enough', 'Result::Err(_) => false', 'Result::Err(_) => true'],
  ],
  [byCall]: [
    ['anyone gives back', 'if get_caller_address() != redeemer {', 'if false {'],
    ['the initiator gives back', 'if get_caller_address() != redeemer {', 'if get_caller_address() != initiator {'],
  ],
  [bySignature]: [
    ['no signature of the redeemer', 'assert(snip12::is_signed_by(redeemer, digest, signature), errors::INVALID_SIGNATURE);', ''],
    ['a refund of any order', 'array![REFUND_TYPE_HASH, order_id]', 'array![REFUND_TYPE_HASH, 0]'],
  ],
  [otherChain]: [
    [
      'ids of the current chain',
      'order_id(self.chain_id.read(), get_contract_address(), order)',
      'order_id(get_tx_info().unbox().chain_id, get_contract_address(), order)',
    ],
  ],
  [cheating]: [
    ['nothing is measured', 'assert(after >= before && after - before >= amount, errors::AMOUNT_NOT_RECEIVED);', ''],
    ['any growth is enough', 'after >= before && after - before >= amount', 'after > before'],
    ['a balance is enough', 'after >= before && after - before >= amount', 'after >= amount'],
    [
      'the answer of a collection is ignored',
      'assert(erc20.transfer_from(payer, this, amount), errors::TRANSFER_FAILED);',
      'erc20.transfer_from(payer, this, amount);',
    ],
  ],
  [unpaid]: [
    [
      'the answer of a payment is ignored',
      'assert(IErc20Dispatcher { contract_address: token }.transfer(payee, amount), errors::TRANSFER_FAILED);',
      'IErc20Dispatcher { contract_address: token }.transfer(payee, amount);',
    ],
  ],
  'an initiation inside of another is refused, so that no money is measured twice': [
    ['initiations inside of each other', 'assert(!self.collecting.read(), errors::REENTRANT_INITIATION);', ''],
    ['nothing marks a collection', 'self.collecting.write(true);', ''],
  ],
  'after an initiation the next one is taken': [['one initiation for ever', 'self.collecting.write(false);', '']],
  'a redeem inside of the payment of a redeem finds the order settled': [
    [
      'paid before it is settled',
      'self.initiated_at.write(order_id, REDEEMED);\n            self.emit(Redeemed { order_id, secret });\n            transfers::push(self.token.read(), redeemer, amount);',
      'transfers::push(self.token.read(), redeemer, amount);\n            self.initiated_at.write(order_id, REDEEMED);\n            self.emit(Redeemed { order_id, secret });',
    ],
  ],
  'a redeem inside of the payment of a refund finds the order settled': [
    [
      'refunded before it is settled',
      'self.initiated_at.write(order_id, REFUNDED);\n            self.emit(Refunded { order_id });\n            transfers::push(self.token.read(), initiator, amount);',
      'transfers::push(self.token.read(), initiator, amount);\n            self.initiated_at.write(order_id, REFUNDED);\n            self.emit(Refunded { order_id });',
    ],
  ],
  'an account that redeems while it is asked for its signature of a refund is paid once': [
    ['an order is not looked at after the signature', 'self.require_open(order_id);\n            self.pay_back', 'self.pay_back'],
  ],
  'an account that initiates while it is asked for its signature initiates once': [
    [
      'an initiation is not looked at after the signature',
      'assert(self.initiated_at.read(order_id) == 0, errors::DUPLICATE_ORDER);\n            self.initiated_at.write(order_id, get_block_timestamp());\n',
      'self.initiated_at.write(order_id, get_block_timestamp());\n',
    ],
  ],
})
