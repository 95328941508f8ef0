import { Button } from '@mantine/core'
import { type ChangeEvent, useRef } from 'react'
import { useTranslation } from 'react-i18next'

/** React's types lack this attribute, which all browsers support. */
const FOLDERS = { webkitdirectory: '' }

/** Chooses the files of a folder; they keep their paths. */
export function FolderButton({ onChoose }: { readonly onChoose: (files: readonly File[]) => void }) {
  const { t } = useTranslation('knowledge')
  const input = useRef<HTMLInputElement>(null)
  const choose = ({ currentTarget }: ChangeEvent<HTMLInputElement>) => {
    onChoose([...(currentTarget.files ?? [])])
    currentTarget.value = ''
  }
  return (
    <div>
      <input ref={input} type="file" hidden {...FOLDERS} multiple aria-label={t('upload.folder')} onChange={choose} />
      <Button variant="default" onClick={() => input.current?.click()}>
        {t('upload.chooseFolder')}
      </Button>
    </div>
  )
}
