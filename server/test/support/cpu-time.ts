function msSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}

/** CPU time of this thread during `work`, in milliseconds. Other load on the machine does not change it. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  return msSince(before)
}

export async function asyncCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.threadCpuUsage()
  await work()
  return msSince(before)
}
