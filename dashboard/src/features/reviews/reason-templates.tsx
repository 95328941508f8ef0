import { Button, Group, Menu, Stack, Textarea } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconTextPlus } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useRead } from '../../api/queries.ts'
import { useScopes } from '../../api/session.ts'
import { FormModal } from '../../ui/form-modal.tsx'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { useReviewSettings } from './use-review-settings.ts'

interface ReasonTemplatesProps {
  readonly onInsert: (text: string) => void
}

/** Inserts a reason of the Workspace as comment. Operators who may change the Workspace edit the list. */
export function ReasonTemplates({ onInsert }: ReasonTemplatesProps) {
  const { t } = useTranslation('reviews')
  const [editing, { open, close }] = useDisclosure()
  const reasons = useRead('/admin/v1/reviews/statistics', {}).data?.reasons ?? []
  const canEdit = useScopes().hasScope('workspaces:write')
  if (reasons.length === 0 && !canEdit) return null
  return (
    <>
      <Menu position="top-start">
        <Menu.Target>
          <Button variant="default" flex="none" leftSection={<IconTextPlus size={16} />}>
            {t('templates.action')}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {reasons.map((reason) => (
            <Menu.Item key={reason} onClick={() => onInsert(reason)}>
              {reason}
            </Menu.Item>
          ))}
          {canEdit && reasons.length > 0 && <Menu.Divider />}
          {canEdit && <Menu.Item onClick={open}>{t('templates.edit')}</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {editing && <TemplatesDialog reasons={reasons} onClose={close} />}
    </>
  )
}

interface TemplatesDialogProps {
  readonly reasons: readonly string[]
  readonly onClose: () => void
}

function TemplatesDialog({ reasons, onClose }: TemplatesDialogProps) {
  const { t } = useTranslation('reviews')
  const saved = reasons.join('\n')
  const [text, setText] = useState(saved)
  const { save, isSaving } = useReviewSettings(() => notifySuccess(t('templates.saved')))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const lines = text.split('\n').map((line) => line.trim())
    save({ reasons: [...new Set(lines.filter((line) => line !== ''))] }, { onSuccess: onClose, onError: notifyError })
  }
  return (
    <FormModal opened title={t('templates.edit')} unsaved={text !== saved && !isSaving} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Textarea
            label={t('templates.label')}
            description={t('templates.hint')}
            data-autofocus
            autosize
            minRows={3}
            maxRows={10}
            value={text}
            onChange={({ currentTarget }) => setText(currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={isSaving}>
              {t('target.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </FormModal>
  )
}
