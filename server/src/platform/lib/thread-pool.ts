import type { Piscina } from 'piscina'

interface ThreadOptions {
  /** URL of the module, and name of its exported function that runs a task. */
  readonly filename: string
  readonly name: string
  readonly maxThreads: number
  /** An idle thread ends after this many milliseconds. */
  readonly idleTimeout: number
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb: number }
}

/** A pool of threads, started on demand. Each runs one task at a time and has no access to the environment. */
export async function createThreadPool<T, R>(options: ThreadOptions): Promise<Piscina<T, R>> {
  // Loaded on first use, because it needs 8 MB.
  const { Piscina } = await import('piscina')
  // With atomics, a waiting thread would block its own event loop.
  return new Piscina({ ...options, minThreads: 0, atomics: 'disabled', recordTiming: false, execArgv: [], env: {} })
}
