/** Rescue phrases: 12 English words of BIP-39, with 128 bits of entropy and a checksum of 4 bits. */
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { RescueInputError } from '@tandem/chain-kit/browser/refusals.ts'
import { didYouMean } from '@tandem/protocol/nearest-name.ts'

const WORDS = 12
const ENTROPY_BITS = 128

export function createPhrase(): string {
  return generateMnemonic(wordlist, ENTROPY_BITS)
}

/** Accepts upper case and any white space. Throws an error that names the wrong word, and the one that it probably is. */
function parsePhrase(text: string): string {
  const words = text.normalize('NFKD').toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length !== WORDS) throw new RescueInputError(`a rescue phrase has ${WORDS} words, this one has ${words.length}`)
  for (const [index, word] of words.entries())
    if (!wordlist.includes(word))
      throw new RescueInputError(`word ${index + 1} of the rescue phrase, "${word}", is not in the list${didYouMean(word, wordlist)}`)
  const phrase = words.join(' ')
  if (!validateMnemonic(phrase, wordlist))
    throw new RescueInputError('the checksum of the rescue phrase is wrong: a word was replaced by another, or words are in another order')
  return phrase
}

/** The seed of BIP-39, without a passphrase. */
export function seedOf(phrase: string): Promise<Uint8Array> {
  return mnemonicToSeed(parsePhrase(phrase))
}
