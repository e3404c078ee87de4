/** URLs by kind: { rpc: ['https://…', 'https://…'] }. A family says which kinds it needs, and of which it can use several. */
export type Endpoints = Readonly<Record<string, readonly string[]>>
