/** The used fields of a V8 CPU profile (`--cpu-prof`). Times in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[]
  readonly startTime: number
  readonly endTime: number
  /** One node id for each sample. */
  readonly samples: readonly number[]
  /** Time since the previous sample. */
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

/** Samples of a waiting process. */
const IDLE = new Set(['(idle)', '(program)', '(root)'])

/**
 * Sums self time in the last `lastMs` of the profile, longest first, without waiting. `owners` adds the time of libraries, Node and V8
 * to the project file that called them. The stack does not show callers across an await.
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

/** Maps node ids to the nearest server file up the stack. */
function ownersOf(nodes: readonly ProfileNode[]): ReadonlyMap<number, string> {
  const owners = new Map<number, string>()
  // Parents come before their children.
  for (const { id, callFrame, children = [] } of nodes) {
    const own = moduleOf(callFrame)
    const owner = own.startsWith('server/') ? own : owners.get(id)
    if (owner === undefined) continue
    for (const nodeId of [id, ...children]) owners.set(nodeId, owner)
  }
  return owners
}

/** Returns the package, the project file, the Node module, or V8. */
function moduleOf({ url, functionName }: CallFrame): string {
  const inPackage = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1]
  const projectFile = /\/(server|bench)\/(.*)$/.exec(url)
  if (inPackage !== undefined) return inPackage
  if (projectFile) return `${projectFile[1]}/${projectFile[2]}`
  return url || (functionName.startsWith('(') ? functionName : '(native)')
}

/** WebAssembly functions have no names, so they share one line. */
const functionOf = (frame: CallFrame): string =>
  frame.url.startsWith('wasm://')
    ? '(WebAssembly)'
    : `${frame.functionName.slice(0, 80) || '(anonymous)'}  ${moduleOf(frame)}:${frame.lineNumber + 1}`

const add = (times: Map<string, number>, name: string, ms: number) => times.set(name, (times.get(name) ?? 0) + ms)

const descending = (times: ReadonlyMap<string, number>): SelfTime[] =>
  [...times].map(([name, ms]) => ({ name, ms })).sort((a, b) => b.ms - a.ms)
