import { existsSync, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const VERSION_1 = '/sys/fs/cgroup/cpu'
const VERSION_2 = '/sys/fs/cgroup'
const PERIOD_US = 20_000

/**
 * Limits a process and its threads to `cores` (may be below 1) with a control group, as on a separate machine. The group is removed with
 * the result, after the process has ended. Throws where this user may not create control groups.
 */
export function limitCpu(pid: number, cores: number): Disposable {
  const isVersion1 = existsSync(join(VERSION_1, 'cpu.cfs_quota_us'))
  const folder = join(isVersion1 ? VERSION_1 : VERSION_2, `gatehouse-bench-${pid}`)
  mkdirSync(folder)
  const write = (file: string, value: string) => writeFileSync(join(folder, file), value)
  const quota = String(Math.round(cores * PERIOD_US))
  if (isVersion1) {
    write('cpu.cfs_period_us', String(PERIOD_US))
    write('cpu.cfs_quota_us', quota)
  } else write('cpu.max', `${quota} ${PERIOD_US}`)
  write('cgroup.procs', String(pid))
  return { [Symbol.dispose]: () => rmdirSync(folder) }
}
