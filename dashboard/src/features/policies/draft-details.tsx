import { Alert, Badge, Group, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { useSession } from '../../api/session.ts'
import { Time } from '../../ui/time.tsx'
import type { SaveStatus } from './draft-saver.ts'
import type { DraftState } from './use-draft.ts'

const COLORS: Readonly<Record<SaveStatus, string>> = {
  saved: 'green',
  saving: 'gray',
  local: 'yellow',
  changed: 'yellow',
  deleted: 'red',
}

/** Title and note of a draft, its last editor, and whether the server has stored the text. */
export function DraftDetails({ draft }: { readonly draft: DraftState }) {
  const { t } = useTranslation('policies')
  const self = useSession().data?.operator.id
  const { saved, status, canWrite, isContinued } = draft
  const { edit } = draft.saver
  const [title, setTitle] = useState(saved.title)
  const [note, setNote] = useState(saved.note)
  const isOwn = saved.edited_by === self
  const name = saved.edited_by_name ?? saved.edited_by
  return (
    <>
      <Group align="flex-end" gap="md">
        <TextInput
          label={t('draft.title')}
          value={title}
          readOnly={!canWrite}
          maxLength={200}
          flex="1 1 220px"
          onChange={({ currentTarget: { value } }) => {
            setTitle(value)
            if (value.trim() !== '') edit({ title: value.trim() })
          }}
        />
        <TextInput
          label={t('draft.note')}
          placeholder={t('draft.notePlaceholder')}
          value={note}
          readOnly={!canWrite}
          maxLength={2_000}
          flex="2 1 320px"
          onChange={({ currentTarget: { value } }) => {
            setNote(value)
            edit({ note: value })
          }}
        />
      </Group>
      <Group gap="sm">
        {canWrite && (
          <Badge color={COLORS[status]} role="status">
            {t(`save.${status}`)}
          </Badge>
        )}
        <Text size="sm" c="dimmed" component="div">
          <Trans
            ns="policies"
            i18nKey={isOwn ? 'draft.editedByYou' : 'draft.edited'}
            values={{ name }}
            components={{ time: <Time at={saved.updated_at} /> }}
          />
        </Text>
      </Group>
      {(status === 'local' || status === 'deleted' || isContinued) && (
        <Alert color="yellow" variant="light" role="status">
          {t(status === 'deleted' ? 'save.deletedHint' : status === 'local' ? 'save.localHint' : 'save.continuedHint')}
        </Alert>
      )}
    </>
  )
}
