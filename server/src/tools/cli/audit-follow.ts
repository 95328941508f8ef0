import { filePositions, follow, noPositions, openSink, type PositionStore } from '../../domains/audit/feed/follow.ts'
import { FEED_FORMATS, isFeedFormat } from '../../domains/audit/feed/ocsf.ts'
import { readFeed } from '../../domains/audit/feed/read-feed.ts'
import { counted } from '../../platform/lib/counted.ts'
import { VERSION } from '../../version.ts'
import { chooseWorkspace } from './choose-workspace.ts'
import { CommandFailure, explainError, type Terminal } from './terminal.ts'
import { withDatabase } from './with-database.ts'

const BATCH = 500

interface Options {
  readonly to: string
  readonly format: string
  readonly workspace?: string
  readonly cursor?: string
  readonly once?: boolean
}

/** `gatehouse audit follow`: sends records in order until it is stopped, and continues where it stopped. */
export const auditFollow = (terminal: Terminal, options: Options): Promise<void> =>
  withDatabase(terminal, async (context) => {
    const { format, to, workspace } = options
    const { db } = context.database
    if (!isFeedFormat(format)) throw new CommandFailure(`--format must be one of ${FEED_FORMATS.join(', ')}`)
    const positions = positionsOf(options)
    const workspaceId = workspace === undefined ? undefined : (await chooseWorkspace(db, workspace)).id
    const token = context.secrets.fromEnvironment('GATEHOUSE_AUDIT_FEED_TOKEN')
    const sink = openSink(to, { token, out: terminal.out })
    if (!sink) throw new CommandFailure('--to must be a path, - or an http or https URL without credentials')
    const stop = stopSignal()
    try {
      const sent = await follow({
        read: (after) =>
          readFeed(db, after, { limit: BATCH, workspaceIds: workspaceId === undefined ? undefined : [workspaceId] }),
        sink,
        positions,
        format,
        version: VERSION,
        isOnce: options.once ?? false,
        onProblem: (error, waitMs) =>
          terminal.note(`gatehouse: ${explainError(error)}. The next attempt follows in ${waitMs / 1_000} s`),
        signal: stop.signal,
      })
      terminal.note(`${counted(sent, 'record')} sent`)
    } finally {
      stop.close()
      await sink.close()
    }
  })

function positionsOf({ to, cursor }: Options): PositionStore {
  if (cursor !== undefined) return filePositions(cursor)
  if (to === '-') return noPositions
  throw new CommandFailure('--cursor FILE is required, so that the command continues where it stopped')
}

function stopSignal(): { readonly signal: AbortSignal; close(): void } {
  const stopping = new AbortController()
  const stop = (): void => stopping.abort()
  const signals = ['SIGINT', 'SIGTERM'] as const
  for (const name of signals) process.once(name, stop)
  return { signal: stopping.signal, close: () => signals.forEach((name) => void process.off(name, stop)) }
}
