/** What V8 writes for `--cpu-prof`, as far as it is read here. Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly endTime: number
  /** Node ids, one a sample. */
  readonly samples: readonly number[]
  /** From the sample before. */
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: CallFrame
  readonly children?: readonly number[]
}

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

export interface SelfTime {
  readonly name: string
  readonly ms: number
}

/** A process that waits is sampled as well. */
const IDLE = new Set(['(idle)', '(program)', '(root)'])

/**
 * Self time within the last `lastMs` before the profile's end, most first; waiting left out. `owners` charges what libraries,
 * Node and V8 do to the file of ours that called them, as far as the stack tells (it does not across an await).
 */
export function selfTimes({ nodes, samples, timeDeltas, startTime, endTime }: CpuProfile, lastMs: number) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  const ownerOf = ownersOf(nodes)
  const owners = new Map<string, number>()
  const modules = new Map<string, number>()
  const functions = new Map<string, number>()
  let total = 0
  let at = startTime
  samples.forEach((id, index) => {
    const ms = (timeDeltas[index + 1] ?? 0) / 1_000
    at += timeDeltas[index] ?? 0
    const frame = frames.get(id)
    if (!frame || IDLE.has(frame.functionName) || at < endTime - lastMs * 1_000) return
    total += ms
    add(owners, ownerOf.get(id) ?? moduleOf(frame), ms)
    add(modules, moduleOf(frame), ms)
    add(functions, functionOf(frame), ms)
  })
  return { total, owners: descending(owners), modules: descending(modules), functions: descending(functions) }
}

/** Node id → the nearest file of the server's own, up the stack. */
function ownersOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const owners = new Map<number, string>()
  // A parent stands before its children.
  for (const { id, callFrame, children = [] } of nodes) {
    const own = moduleOf(callFrame)
    const owner = own.startsWith('server/') ? own : owners.get(id)
    if (owner === undefined) continue
    for (const one of [id, ...children]) owners.set(one, owner)
  }
  return owners
}

/** A package, a file of ours, a part of Node, or V8 itself. */
function moduleOf({ url, functionName }: CallFrame): string {
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  const ours = /\/(server|bench)\/(.*)$/.exec(url)
  if (inPackage !== undefined) return inPackage
  if (ours) return `${ours[1]}/${ours[2]}`
  return url || (functionName.startsWith('(') ? functionName : '(native)')
}

/** WebAssembly has numbers for names: one line for all of it. */
const functionOf = (frame: CallFrame): string =>
  frame.url.startsWith('wasm://')
    ? '(WebAssembly)'
    : `${frame.functionName.slice(0, 80) || '(anonymous)'}  ${moduleOf(frame)}:${frame.lineNumber + 1}`

const add = (times: Map<string, number>, name: string, ms: number) => times.set(name, (times.get(name) ?? 0) + ms)

const descending = (times: ReadonlyMap<string, number>): SelfTime[] =>
  [...times].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms)
