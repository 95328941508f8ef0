import { ActionIcon, Button, NumberInput, Popover, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { useWorkspace } from '../../api/workspace.ts'
import { notifyError, notifySuccess } from '../../ui/notify.ts'

const MAX_MINUTES = 43_200

/** Sets the time within which items of the Workspace should be decided. */
export function TargetButton({ minutes }: { readonly minutes: number | null }) {
  const { t } = useTranslation('reviews')
  const [opened, { open, close }] = useDisclosure()
  const [value, setValue] = useState<number | string>(minutes ?? '')
  const toggle = () => {
    if (opened) return close()
    // Another operator may have changed it.
    setValue(minutes ?? '')
    open()
  }
  const workspaces = useSession().data?.workspaces ?? []
  const selected = useWorkspace()
  const workspaceId = (workspaces.find(({ id, name }) => id === selected || name === selected) ?? workspaces[0])?.id
  const save = useChange('patch', '/admin/v1/workspaces/{id}', {
    refresh: ['/admin/v1/reviews/statistics', '/admin/v1/workspaces'],
    onDone: () => notifySuccess(t('target.saved')),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!workspaceId) return
    const target_minutes = value === '' ? null : Number(value)
    save.mutate(
      { params: { path: { id: workspaceId } }, body: { settings: { review: { target_minutes } } } },
      // Closed after the new target was loaded.
      { onSuccess: close, onError: notifyError },
    )
  }
  return (
    <Popover opened={opened} onChange={(open) => !open && close()} trapFocus withArrow>
      <Popover.Target>
        {minutes === null ? (
          <Button size="compact-xs" variant="subtle" onClick={toggle}>
            {t('target.set')}
          </Button>
        ) : (
          <ActionIcon size="xs" variant="subtle" aria-label={t('target.edit')} onClick={toggle}>
            <IconPencil size={14} />
          </ActionIcon>
        )}
      </Popover.Target>
      <Popover.Dropdown aria-label={t('target.title')}>
        <form onSubmit={submit}>
          <Stack gap="sm" maw={260}>
            <NumberInput
              label={t('target.minutes')}
              description={t('target.hint')}
              min={1}
              max={MAX_MINUTES}
              allowDecimal={false}
              value={value}
              onChange={setValue}
            />
            <Button type="submit" loading={save.isPending}>
              {t('target.save')}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
