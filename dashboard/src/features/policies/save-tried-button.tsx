import { Code, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { useApplicationNames } from '../../api/application-names.ts'
import { FormDialog, useFormDialog } from '../../ui/form-dialog.tsx'
import { notifySuccess } from '../../ui/notify.ts'
import { FormError, SubmitForm } from '../../ui/submit-form.tsx'
import { addTest } from './rule-document.ts'
import type { TryResult, TryValues } from './try-request.ts'
import { testOf } from './try-test.ts'

interface SaveTriedButtonProps {
  readonly source: string
  readonly values: TryValues
  readonly result: TryResult
  readonly onSource: (source: string) => void
}

/** Adds a test to the document that expects the decision on the tried text. */
export function SaveTriedButton({ source, values, result, onSource }: SaveTriedButtonProps) {
  const { t } = useTranslation('policies')
  const { nameOf } = useApplicationNames()
  const form = useForm({
    initialValues: { name: '' },
    validate: { name: (name) => (name.trim() === '' ? t('tests.nameMissing') : null) },
  })
  const dialog = useFormDialog(form)
  const { application } = values
  const test = testOf(form.values.name.trim(), values, application === null ? undefined : nameOf(application), result)
  const changed = addTest(source, test)
  const save = () => {
    if (changed === undefined) return
    dialog.dismiss()
    onSource(changed)
    notifySuccess(t('try.testAdded'))
  }
  return (
    <FormDialog dialog={dialog} title={t('try.saveTest')} variant="default" size="xs" pending={false} wide>
      <SubmitForm onSubmit={form.onSubmit(save)} submit={t('try.addTest')} pending={false}>
        {changed === undefined && <FormError>{t('try.testNotAdded')}</FormError>}
        <TextInput
          label={t('tests.name')}
          description={t('tests.nameHint')}
          required
          maxLength={200}
          data-autofocus
          {...form.getInputProps('name')}
        />
        <Text size="sm">{t('try.testContent')}</Text>
        <Code block tabIndex={0} role="region" aria-label={t('try.testPreview')}>
          {test}
        </Code>
      </SubmitForm>
    </FormDialog>
  )
}
