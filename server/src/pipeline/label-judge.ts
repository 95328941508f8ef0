import { evaluate } from '../domains/policy/evaluate.ts'
import type { Rule } from '../domains/policy/policy.ts'
import { camelCase } from '../platform/lib/camel-case.ts'
import { NOTHING_FOUND } from '../shared/finding.ts'
import type { HitLabels, LabelJudge, MemoryLabels } from '../shared/labels.ts'
import type { HitSearch } from './govern-hits.ts'

/** Variables whose values come from the text of a hit or memory. */
const OF_TEXT = /^(?:content|response)\b/
const OF_SUBJECT = /^(?:hit|memory)\.(\w+)$/

interface Subject {
  readonly hit: HitLabels
  readonly memory: MemoryLabels
}
type SubjectName = keyof Subject
const POINTS = { hit: 'retrieve', memory: 'recall' } as const satisfies Record<SubjectName, string>

/** Judges by the rules that read labels only; undefined: there are none. A rule whose condition fails denies, as at the point itself. */
export function labelJudge<N extends SubjectName>(
  subject: N,
  { policy, input, readers, pause }: Pick<HitSearch, 'policy' | 'input' | 'readers' | 'pause'>,
): LabelJudge<Subject[N]> | undefined {
  const point = POINTS[subject]
  const own = policy?.rules[point].filter(deniesByLabels) ?? []
  if (!policy || own.length === 0) return undefined
  const rules = { ...policy.rules, [point]: own }
  const reads = new Set(own.flatMap((rule) => rule.reads.flatMap(labelOf))) as ReadonlySet<unknown> as ReadonlySet<
    keyof Subject[N]
  >
  const known = new Map<string, boolean>()
  const isDenied = (labels: Subject[N]): boolean => {
    const content = { text: '', classification: labels.classification, riskLevel: 'low', findings: NOTHING_FOUND } as const
    const asked = { ...input, content, [subject]: labels }
    return readers.some((user) => evaluate({ ...policy, rules }, point, { ...asked, user }).verdict === 'deny')
  }
  return {
    reads,
    pause,
    denies(labels) {
      const key = JSON.stringify([...reads].map((name) => labels[name]))
      const denied = known.get(key) ?? isDenied(labels)
      known.set(key, denied)
      return denied
    },
  }
}

const deniesByLabels = ({ verdict, onError, reads }: Rule): boolean =>
  (verdict === 'deny' || onError === 'deny') && reads.every((name) => !OF_TEXT.test(name))

const labelOf = (variable: string): readonly string[] => {
  const [, name] = OF_SUBJECT.exec(variable) ?? []
  return name === undefined ? [] : [camelCase(name)]
}
