// Refusals of the Esplora interface: a status and a line of plain text.

export class EsploraError extends Error {
  override readonly name = 'EsploraError'
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}
