import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { useScopes } from '../../api/session.ts'
import { Link } from '../../ui/link.tsx'
import { skipReasonOf } from '../../ui/skip-reasons.ts'

/** Counts of the stages for knowledge and memory, or why they were skipped. */
export function useStageNotes(record: AuditRecord, as: string | undefined): (stage: string) => ReactNode {
  const { t } = useTranslation('playground')
  const settingReasonOf = useSettingReason(record)
  const { hasScope } = useScopes()
  const passages = () => {
    const count = record.knowledge.length
    const text = t('stages.passages', { count })
    if (count > 0 || !hasScope('knowledge:content')) return text
    const search = { application: record.application_id, ...(as !== undefined && { user: as }) }
    return (
      <>
        {text} ·{' '}
        <Link to="/knowledge/search" search={search}>
          {t('stages.searchAsUser')}
        </Link>
      </>
    )
  }
  const counts: Readonly<Record<string, () => ReactNode>> = {
    retrieve: passages,
    recall: () => t('stages.memories', { count: record.memory.length }),
    remember: () => t('stages.stored', { count: record.remembered.length }),
  }
  return (stage) => {
    const outcome = record.stages.find(({ name }) => name === stage)?.outcome
    if (outcome === 'ok') return counts[stage]?.()
    const reason = settingReasonOf(stage) ?? skipReasonOf(record, stage)
    return outcome === 'skipped' && reason !== undefined ? t(`stages.reasons.${reason}`) : undefined
  }
}

/** The setting of the Application that turns a stage off. */
function useSettingReason({ application_id: id, decision }: AuditRecord) {
  const enabled = useScopes().hasScope('applications:read')
  const { data } = useRead(
    '/admin/v1/applications/{id}',
    { params: { path: { id: id ?? '' } } },
    { enabled: enabled && id !== null },
  )
  return (stage: string) => {
    // A request that was refused before has no decision, and its later stages were not reached.
    if (!data || decision === null) return undefined
    const { knowledge, memory } = data.settings
    if (stage === 'retrieve' && !knowledge.enabled) return 'knowledgeDisabled'
    if (stage !== 'recall' && stage !== 'remember') return undefined
    if (!memory.enabled) return 'memoryDisabled'
    return stage === 'remember' && memory.capture === 'off' ? 'captureOff' : undefined
  }
}
