const NEVER_NOTIFIED = new Int32Array(new SharedArrayBuffer(4))

/**
 * CPU time of this thread until now. The kernel adds up the time of a running thread only at its ticks of up to 10 ms, but always when the thread
 * begins to wait: without the wait, work of 5 ms would often take 0 ms.
 */
function threadCpuUsage(): NodeJS.CpuUsage {
  Atomics.wait(NEVER_NOTIFIED, 0, 0, 0.01)
  return process.threadCpuUsage()
}

function msSince(before: NodeJS.CpuUsage): number {
  const now = threadCpuUsage()
  return (now.user - before.user + now.system - before.system) / 1_000
}

/** CPU time of this thread during `work`, in milliseconds. Other load on the machine does not change it. */
export function cpuMs(work: () => void): number {
  const before = threadCpuUsage()
  work()
  return msSince(before)
}

export async function asyncCpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = threadCpuUsage()
  await work()
  return msSince(before)
}
