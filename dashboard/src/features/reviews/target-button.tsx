import { ActionIcon, Button, NumberInput, Popover, Stack } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { IconPencil } from '@tabler/icons-react'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { notifyError, notifySuccess } from '../../ui/notify.ts'
import { useReviewSettings } from './use-review-settings.ts'

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
  const { save, isSaving } = useReviewSettings(() => notifySuccess(t('target.saved')))
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const target_minutes = value === '' ? null : Number(value)
    // Closed after the new target was loaded.
    save({ target_minutes }, { onSuccess: close, onError: notifyError })
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
            <Button type="submit" loading={isSaving}>
              {t('target.save')}
            </Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
