import { Select, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { notifyError } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import type { CreatedKey } from './api-key.ts'

/** Seconds. */
const OVERLAPS = ['0', '3600', '86400', '604800', '2592000'] as const

const INITIAL = { overlap: '86400' as (typeof OVERLAPS)[number] }

interface RotateKeyButtonProps {
  readonly id: string
  readonly name: string
  readonly onRotated: (key: CreatedKey) => void
}

/** Replaces a key; the old one remains valid for the chosen overlap. */
export function RotateKeyButton({ id, name, onRotated }: RotateKeyButtonProps) {
  const { t } = useTranslation('applications')
  const form = useForm({ initialValues: INITIAL })
  const dialog = useFormDialog(form)
  const rotate = useChange('post', '/admin/v1/keys/{id}/rotate', {
    refresh: ['/admin/v1/applications/{id}/keys'],
    onDone: (issued) => {
      dialog.dismiss()
      onRotated({ ...issued, isRotated: true })
    },
  })
  const submit = ({ overlap }: typeof INITIAL) =>
    rotate.mutate({ params: { path: { id } }, body: { overlap_seconds: Number(overlap) } }, { onError: notifyError })
  return (
    <FormDialog
      dialog={dialog}
      title={t('keys.rotate.title', { name })}
      label={t('keys.rotate.action')}
      aria-label={t('keys.rotate.label', { name })}
      variant="default"
      size="xs"
      pending={rotate.isPending}
    >
      <SubmitForm onSubmit={form.onSubmit(submit)} submit={t('keys.rotate.submit')} pending={rotate.isPending}>
        <Text size="sm">{t('keys.rotate.hint')}</Text>
        <Select
          label={t('keys.rotate.overlap')}
          description={t('keys.rotate.overlapHint')}
          data={OVERLAPS.map((value) => ({ value, label: t(`keys.overlap.${value}`) }))}
          allowDeselect={false}
          data-autofocus
          {...form.getInputProps('overlap')}
        />
      </SubmitForm>
    </FormDialog>
  )
}
