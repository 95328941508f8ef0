import { Button, Group, ScrollArea, Skeleton, Stack, Text, Textarea } from '@mantine/core'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ErrorState } from '../../ui/error-state.tsx'
import { useSettled } from '../../ui/use-settled.ts'
import { type Changes, RuleChanges } from './rule-changes.tsx'

interface PublicationFormProps {
  readonly consequence: string
  /** Since the active version. Undefined while loading. */
  readonly changes: Changes | undefined
  /** Why the changes are not known. */
  readonly changesError: unknown
  readonly initialNote?: string
  /** Label of the button that publishes. */
  readonly action: string
  readonly pending: boolean
  readonly disabled?: boolean
  /** Why the publication failed. */
  readonly children?: ReactNode
  readonly onCancel: () => void
  readonly onPublish: (note: string) => void
}

/** Longer than a double click, so that its second click does not publish. */
const SETTLE_MS = 400

/** The changes that a publication makes, and its note, which the history shows. */
export function PublicationForm({
  consequence,
  changes,
  changesError,
  action,
  pending,
  children,
  ...props
}: PublicationFormProps) {
  const { t } = useTranslation('policies')
  const { initialNote = '', disabled = false, onCancel, onPublish } = props
  const [note, setNote] = useState(initialNote)
  const [isMissing, setMissing] = useState(false)
  const field = useRef<HTMLTextAreaElement>(null)
  const settled = useSettled('opened', SETTLE_MS)
  const publish = () => {
    const isBlank = note.trim() === ''
    setMissing(isBlank)
    if (isBlank) field.current?.focus()
    else onPublish(note.trim())
  }
  return (
    <Stack>
      <Text size="sm">{consequence}</Text>
      {changesError ? <ErrorState title={t('publish.changesFailed')} error={changesError} /> : null}
      {!changes && !changesError && <Skeleton height={64} />}
      {changes && (
        <ScrollArea.Autosize mah={320} viewportProps={{ tabIndex: 0, role: 'group', 'aria-label': t('tabs.changes') }}>
          <RuleChanges changes={changes} />
        </ScrollArea.Autosize>
      )}
      <Textarea
        ref={field}
        label={t('publish.note')}
        description={t('publish.noteHint')}
        required
        maxLength={1_900}
        autosize
        minRows={2}
        value={note}
        error={isMissing && note.trim() === '' && t('publish.noteMissing')}
        data-autofocus
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
      />
      {children}
      <Group justify="flex-end">
        <Button variant="default" disabled={pending} onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button loading={pending} disabled={!settled || disabled} onClick={publish}>
          {action}
        </Button>
      </Group>
    </Stack>
  )
}
