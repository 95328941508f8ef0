import type { Piscina } from 'piscina'

interface ThreadOptions {
  /** URL of the module, and the name of the exported function that does a task. */
  readonly filename: string
  readonly name: string
  readonly maxThreads: number
  /** An idle thread ends after this many milliseconds. */
  readonly idleTimeout: number
  readonly resourceLimits?: { readonly maxOldGenerationSizeMb: number }
}

/** Threads that do one task at a time each, without access to the environment. Started when needed. */
export async function createThreadPool<T, R>(options: ThreadOptions): Promise<Piscina<T, R>> {
  // Loaded when first needed: it takes 8 MB.
  const { Piscina } = await import('piscina')
  // With atomics, a waiting thread blocks its own event loop.
  return new Piscina({ ...options, minThreads: 0, atomics: 'disabled', recordTiming: false, execArgv: [], env: {} })
}
