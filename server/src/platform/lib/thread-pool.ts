import type { Piscina } from 'piscina'

type Options = ConstructorParameters<typeof Piscina>[0]

/** A pool of threads, started on demand. Each runs one task at a time and has no access to the environment. */
export async function createThreadPool<T, R>(options: Options): Promise<Piscina<T, R>> {
  // Loaded on first use, because it needs 8 MB.
  const { Piscina } = await import('piscina')
  // With atomics, a waiting thread would block its own event loop.
  return new Piscina({ ...options, minThreads: 0, atomics: 'disabled', recordTiming: false, execArgv: [], env: {} })
}
