/** CPU time, in milliseconds, that this thread spends on `work`: whatever else the machine does makes no difference. */
export function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
