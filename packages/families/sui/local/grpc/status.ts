// Makes errors of gRPC: a code and a text.

/** The codes are those of https://grpc.io/docs/guides/status-codes/. */
export const statusCodes = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const

export type StatusName = keyof typeof statusCodes

export class GrpcError extends Error {
  readonly status: StatusName

  constructor(status: StatusName, message: string) {
    super(message)
    this.status = status
  }
}

export function invalidArgument(message: string): GrpcError {
  return new GrpcError('INVALID_ARGUMENT', message)
}
