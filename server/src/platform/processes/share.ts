import type { Config } from '../config/config.ts'

/** The configuration of one of `processes` processes: limits of the node that each process counts by itself are divided. */
export function shareOfProcess(config: Config, processes: number): Config {
  const { databasePoolSize, sizes } = config
  return {
    ...config,
    databasePoolSize: Math.floor(databasePoolSize / processes),
    // A single body of the longest allowed size must fit.
    sizes: { ...sizes, bodyBytesInFlight: Math.max(sizes.bodyBytes, Math.floor(sizes.bodyBytesInFlight / processes)) },
  }
}
