// This is the only logger: JSON lines for machines, one readable line per event for a terminal. It redacts keys and secrets.
import { Writable } from 'node:stream'
import { styleText } from 'node:util'
import {
  type Bindings,
  type ChildLoggerOptions,
  type DestinationStream,
  destination,
  type Logger as PinoLogger,
  pino,
  stdTimeFunctions,
} from 'pino'

export type Logger = PinoLogger

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** The fields hold no secrets. */
export type Problem = {
  readonly at: Date
  readonly level: 'warn' | 'error' | 'fatal'
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>>
}

type ProblemListener = (problem: Problem) => void

const listeners = new WeakMap<object, ProblemListener>()

/** The listener gets each warning and error of the result and of its children. */
export function withProblems(log: Logger, listener: ProblemListener): Logger {
  const own = log.child({})
  listeners.set(own, listener)
  return own
}

/** `pretty` defaults to whether standard error is a terminal. Lines go to standard error: standard output is for the result of a command. */
export const createLogger = (options: {
  readonly name: string
  readonly level?: LogLevel
  readonly pretty?: boolean
  readonly destination?: DestinationStream
}): Logger => {
  const terminal = process.stderr.isTTY === true
  const raw = options.destination ?? standardError()
  const colour = terminal && options.destination === undefined && process.env.NO_COLOR === undefined
  const logger: Logger = pino(
    {
      name: options.name,
      level: options.level ?? 'info',
      base: { pid: process.pid },
      timestamp: stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => error },
      formatters: {
        level: (label) => ({ level: label }),
      },
      hooks: {
        logMethod(args, method, level) {
          const redacted = redactArguments(args)
          if (level >= PROBLEM_LEVEL) reportProblem(this, level, redacted)
          method.apply(this, redacted as typeof args)
        },
      },
    },
    (options.pretty ?? terminal) ? prettyStream(raw, colour) : raw,
  )
  const { child, setBindings } = logger
  // Children inherit these two overrides. Pino's own hooks do not see the bindings of a child.
  return Object.assign(logger, {
    child(this: Logger, bindings: Bindings, childOptions?: ChildLoggerOptions): Logger {
      return Reflect.apply(child, this, [redactFields(bindings), childOptions])
    },
    setBindings(this: Logger, bindings: Bindings) {
      Reflect.apply(setBindings, this, [redactFields(bindings)])
    },
  })
}

/** The buffer of lines while standard error takes none, as on a full disk or a pipe that nobody reads. Later lines are dropped. */
const MAX_BUFFERED_BYTES = 1_000_000

/** Writes are asynchronous, so that a full disk, a closed pipe or a slow reader neither ends nor stops the process. */
function standardError(): DestinationStream {
  const stream = destination({ dest: 2, sync: false, minLength: 0, maxLength: MAX_BUFFERED_BYTES })
  // Unwritten lines are tried again with the next line.
  stream.on('error', () => undefined)
  process.once('exit', () => {
    try {
      stream.flushSync()
    } catch {}
  })
  return stream
}

/** The option comes first, then the variable, then the configuration. Throws for an unknown level. */
export function chooseLogLevel(given: string | undefined, configured: LogLevel = 'info'): LogLevel {
  const text = given ?? process.env.TANDEM_LOG_LEVEL
  if (text === undefined || text === '') return configured
  const level = logLevels.find((name) => name === text)
  if (level === undefined) {
    const place = given === undefined ? 'the environment variable TANDEM_LOG_LEVEL' : '--log-level'
    throw new Error(`${place}: the log level is one of ${logLevels.join(', ')}, got "${text.slice(0, 50)}"`)
  }
  return level
}

const PROBLEM_LEVEL = 40

/** A child has its parent as its prototype. */
function reportProblem(log: Logger, level: number, [first, second]: readonly unknown[]): void {
  let owner: object | null = log
  while (owner !== null && !listeners.has(owner)) owner = Object.getPrototypeOf(owner)
  const listener = owner === null ? undefined : listeners.get(owner)
  if (listener === undefined) return
  const isObject = typeof first === 'object' && first !== null
  listener({
    at: new Date(),
    level: level >= 60 ? 'fatal' : level >= 50 ? 'error' : 'warn',
    message: String((isObject ? second : first) ?? ''),
    fields: { ...log.bindings(), ...(isObject && first) },
  })
}

const HIDDEN = '[hidden]'
const MAX_DEPTH = 8

// Names are compared without case, dashes and underscores. Public keys and secret hashes are public.
const SECRET_NAME = /(secret|key|keys|seed|mnemonic|password|passphrase|wif|xprv|appid|authorization|cookie)$/
const PUBLIC_NAME = /pub(lic)?keys?$/

const isSecretName = (name: string): boolean => {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '')
  return SECRET_NAME.test(plain) && !PUBLIC_NAME.test(plain)
}

// URLs such as postgresql://user:password@host contain passwords.
const redactText = (text: string): string => text.replaceAll(/(:\/\/[^\s:@/]*):[^\s@/]+@/g, `$1:${HIDDEN}@`)

// Pino would copy an error's message into the line unredacted.
const redactArguments = ([first, ...rest]: readonly unknown[]): unknown[] => {
  const texts = rest.map((text) => redactValue(text, []))
  if (typeof first !== 'object' || first === null) return [redactValue(first, []), ...texts]
  const fields: object = first instanceof Error ? { err: first } : first
  const message = 'err' in fields && fields.err instanceof Error ? [redactText(fields.err.message)] : []
  return [redactFields(fields), ...(texts.length > 0 ? texts : message)]
}

const redactFields = (fields: object): Record<string, unknown> => redactEntries(fields, [])

const redactEntries = (value: object, above: readonly object[]): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && inner !== undefined && inner !== null ? HIDDEN : redactValue(inner, [...above, value]),
    ]),
  )

const redactValue = (value: unknown, above: readonly object[]): unknown => {
  if (typeof value === 'string') return redactText(value)
  if (typeof value === 'bigint') return value.toString()
  if (typeof value !== 'object' || value === null) return value
  if (above.includes(value)) return '[circular]'
  if (above.length >= MAX_DEPTH) return '[deep]'
  // Bytes may be a key.
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (value instanceof Error) return redactError(value, above)
  if (value instanceof Map) return redactEntries(Object.fromEntries(value), [...above, value])
  if (Array.isArray(value) || value instanceof Set) return [...value].map((inner) => redactValue(inner, [...above, value]))
  if ('toJSON' in value && typeof value.toJSON === 'function') return redactValue(value.toJSON(), [...above, value])
  return redactEntries(value, above)
}

const redactError = (error: Error, above: readonly object[]): Record<string, unknown> => ({
  ...redactEntries(error, above),
  type: error.name,
  message: redactText(error.message),
  stack: redactText(error.stack ?? ''),
  ...(error.cause === undefined ? {} : { cause: redactValue(error.cause, [...above, error]) }),
})

const COLOURS = { warn: 'yellow', error: 'red', fatal: 'red' } as const

const prettyStream = (target: DestinationStream, colour: boolean): DestinationStream =>
  new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      target.write(prettyLine(JSON.parse(chunk) as Record<string, unknown>, colour))
      done()
    },
  })

// A line is like: 12:01:02 info  watcher  block 120 chain=bitcoin_regtest
const prettyLine = (entry: Record<string, unknown>, colour: boolean): string => {
  const { time, level, name, msg, pid: _pid, ...fields } = entry
  const word = String(level)
  const tint = COLOURS[word as keyof typeof COLOURS]
  const head = `${new Date(String(time)).toTimeString().slice(0, 8)} ${word.padEnd(5)}`
  const details = Object.entries(fields).map(([field, value]) => `${field}=${prettyValue(value)}`)
  const line = [colour && tint !== undefined ? styleText(tint, head) : head, String(name).padEnd(8), oneLine(String(msg ?? '')), ...details]
  return `${line.join(' ').trimEnd()}\n${stackOf(fields.err)}`
}

// Logged text may come from strangers, so what would start a new line or control the terminal is escaped.
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}/gu, (control) => JSON.stringify(control).slice(1, -1))

const prettyValue = (value: unknown): string => {
  if (isLoggedError(value)) return JSON.stringify(errorChain(value))
  if (typeof value === 'string' && /^[^\s"=\p{Cc}]+$/u.test(value)) return value
  return oneLine(JSON.stringify(value) ?? 'undefined')
}

type LoggedError = { readonly type: string; readonly message: string; readonly stack: string; readonly cause?: unknown }

const isLoggedError = (value: unknown): value is LoggedError =>
  typeof value === 'object' && value !== null && 'type' in value && 'message' in value && 'stack' in value

const errorChain = (error: LoggedError): string => {
  const own = `${error.type}: ${error.message}`
  return isLoggedError(error.cause) ? `${own}, because ${errorChain(error.cause)}` : own
}

const stackOf = (error: unknown): string => {
  if (!isLoggedError(error)) return ''
  const frames = error.stack.split('\n').filter((line) => /^\s+at /.test(line))
  return frames.map((frame) => `         ${oneLine(frame.trim())}\n`).join('')
}
