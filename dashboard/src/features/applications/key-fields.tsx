import { TagsInput, Textarea } from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { useTranslation } from 'react-i18next'
import { RestrictionFields } from '../../views/restriction-fields.tsx'

interface KeyFieldsProps {
  readonly form: Pick<UseFormReturnType<unknown>, 'getInputProps'>
}

/** Limits, models, tags and metadata of a key. */
export function KeyFields({ form }: KeyFieldsProps) {
  const { t } = useTranslation('applications')
  return (
    <>
      <RestrictionFields form={form} />
      <TagsInput
        label={t('keys.fields.tags')}
        description={t('keys.fields.tagsHint')}
        maxTags={20}
        {...form.getInputProps('tags')}
      />
      <Textarea
        label={t('keys.fields.metadata')}
        description={t('keys.fields.metadataHint')}
        autosize
        minRows={2}
        maxRows={6}
        {...form.getInputProps('metadata')}
      />
    </>
  )
}
