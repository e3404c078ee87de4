/** Gives the interfaces of the HTLC module and of coins, in the form of Sui's nodes. The registry of an asset names the package. */
import htlcInterface from '../contract/artifacts/htlc.json' with { type: 'json' }

/** Wallets need this interface of coins: a part of the framework's module `coin`, in the form of the HTLC's own interface. */
const framework = '0x2'
const anyType = { TypeParameter: 0 }
const coin = { Struct: { address: framework, module: 'coin', name: 'Coin', typeArguments: [anyType] } }
const context = { MutableReference: { Struct: { address: framework, module: 'tx_context', name: 'TxContext', typeArguments: [] } } }

const coinSchema = {
  fileFormatVersion: 7,
  address: framework,
  name: 'coin',
  friends: [],
  structs: {
    Coin: {
      abilities: { abilities: ['Store', 'Key'] },
      typeParameters: [{ constraints: { abilities: [] }, isPhantom: true }],
      fields: [
        { name: 'id', type: { Struct: { address: framework, module: 'object', name: 'UID', typeArguments: [] } } },
        { name: 'balance', type: { Struct: { address: framework, module: 'balance', name: 'Balance', typeArguments: [anyType] } } },
      ],
    },
  },
  exposedFunctions: {
    join: exposed([{ MutableReference: coin }, coin], []),
    split: exposed([{ MutableReference: coin }, 'U64', context], [coin]),
    value: exposed([{ Reference: coin }], ['U64']),
    zero: exposed([context], [coin]),
  },
}

export const schemas = { 'sui:htlc': htlcInterface, 'sui:coin': coinSchema }

function exposed(parameters: readonly unknown[], returned: readonly unknown[]) {
  return { visibility: 'Public', isEntry: false, typeParameters: [{ abilities: [] }], parameters, return: returned }
}
