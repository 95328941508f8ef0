import { useTranslation } from 'react-i18next'
import type { PolicySet } from '../../api/schema.d.ts'
import { MergeAlert } from './merge-alert.tsx'
import { baseOf } from './use-base-version.ts'
import type { DraftState } from './use-draft.ts'
import { useVersionText } from './use-version-text.ts'

interface DraftMergesProps {
  readonly draft: DraftState
  /** Text of the base version; undefined while it loads. */
  readonly base: string | undefined
  readonly active: PolicySet | undefined
}

/** Changes of others that the draft does not have: a later version, or an edit of the same draft. */
export function DraftMerges({ draft, base, active }: DraftMergesProps) {
  const { t } = useTranslation('policies')
  const { saved, other, source, saver, replace, canWrite } = draft
  const activeBase = baseOf(active)
  const isSuperseded = saved.base_version !== activeBase
  const published = useVersionText(isSuperseded ? activeBase : undefined)
  if (!canWrite) return null
  if (other) {
    const their = other.edited_by_name ?? other.edited_by
    return (
      <MergeAlert
        title={t('merge.draftChanged', { their })}
        hint={t('merge.draftChangedHint')}
        base={saved.source}
        own={source}
        other={other.source}
        their={their}
        onMerged={(text) => {
          saver.accept(text)
          replace(text)
        }}
      />
    )
  }
  if (!isSuperseded || base === undefined || published === undefined || !active) return null
  const their = t('version', { name: active.name, version: active.version })
  return (
    <MergeAlert
      title={t('merge.superseded', { their })}
      hint={active.note === '' ? t('merge.supersededHint', { their }) : t('merge.supersededNote', { their, note: active.note })}
      base={base}
      own={source}
      other={published}
      their={their}
      onMerged={(text) => {
        replace(text)
        saver.edit({ source: text, base_version: active.id }, 0)
      }}
    />
  )
}
