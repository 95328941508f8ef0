import type { Logger } from 'pino'
import type { Environment } from '../config/environment.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Snapshot } from '../telemetry/snapshots.ts'
import type { ProcessReport, StartOrder, StopSignal } from './messages.ts'

/** The place of a serving process in its node. */
export interface PlaceInNode extends Pick<StartOrder, 'processes'> {
  /** From 1; undefined: it is the only one. */
  readonly number: number | undefined
  /** The metrics of all processes. Undefined: this process is the only one. */
  readonly metrics: (() => Promise<Snapshot>) | undefined
  /** Asks all processes whether their event loops run. None: this process is the only one. */
  readonly askProcesses: () => Promise<readonly ProcessReport<boolean>[]>
  /** Whether this process does what a node does once: recurring jobs, the export of metrics. */
  readonly leads: boolean
}

export const ONLY_PROCESS: PlaceInNode = {
  number: undefined,
  processes: 1,
  metrics: undefined,
  askProcesses: async () => [],
  leads: true,
}

/** A serving process's connection to its node. */
export interface NodeLink extends PlaceInNode, Pick<StartOrder, 'prepares'> {
  /** Call it first. From then on the process answers questions of its node. */
  attach(parts: { readonly metrics: Metrics; readonly log: Logger }): void
  /** Resolves at the first signal to stop. */
  awaitStop(): Promise<StopSignal>
  /** Calls `listener` with the new environment after SIGHUP, if it is valid. */
  onReload(listener: (env: Environment) => Promise<void>): void
  /** Call it when the process listens. */
  listening(): void
}
