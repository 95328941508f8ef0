import { Code, Select, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useChange } from '../../api/queries.ts'
import type { AuditRecord } from '../../api/schema.d.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { showFormError } from '../../ui/form-errors.ts'
import { notifySuccess } from '../../ui/notify.ts'
import { SubmitForm } from '../../ui/submit-form.tsx'
import { policyTest, type TestPoint, type TestTexts } from './policy-test.ts'

interface SaveTestButtonProps {
  readonly record: AuditRecord
  readonly texts: TestTexts
}

/** Stores a policy test that expects the decision of this request. */
export function SaveTestButton({ record, texts }: SaveTestButtonProps) {
  const { t } = useTranslation('playground')
  const form = useForm({ initialValues: { name: '', at: 'input' as TestPoint } })
  const dialog = useFormDialog(form)
  const create = useChange('post', '/admin/v1/policy-tests', {
    refresh: ['/admin/v1/policy-tests'],
    onDone: () => {
      dialog.dismiss()
      notifySuccess(t('saveTest.saved'))
    },
  })
  const { name, at } = form.values
  const test = policyTest(name.trim(), at, (at === 'output' ? texts.output : undefined) ?? texts.input, record)
  const points = (['input', 'output'] as const).filter((point) => texts[point] !== undefined)
  return (
    <FormDialog dialog={dialog} title={t('saveTest.button')} variant="default" size="xs" pending={create.isPending}>
      <SubmitForm
        onSubmit={form.onSubmit(() => create.mutate({ body: test }, { onError: showFormError(form) }))}
        submit={t('saveTest.save')}
        pending={create.isPending}
      >
        <TextInput
          label={t('saveTest.name')}
          description={t('saveTest.nameHint')}
          required
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Select
          label={t('saveTest.point')}
          allowDeselect={false}
          data={points.map((value) => ({ value, label: t(`saveTest.points.${value}`) }))}
          {...form.getInputProps('at')}
        />
        <Code block tabIndex={0} role="region" aria-label={t('saveTest.preview')}>
          {JSON.stringify({ input: test.input, expect: test.expect }, null, 2)}
        </Code>
      </SubmitForm>
    </FormDialog>
  )
}
