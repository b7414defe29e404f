"""The application as a page in a browser: the same parts and verbs, asked over a server on the loopback."""

from __future__ import annotations

import json

from tests.live.bed.kits.sheet import ITEMS, PAINTED, PARCEL, PRESS, WORDS

_OPTIONS = "".join(f"<option>{name}</option>" for name in ITEMS)
_STYLE = """
html,body{margin:0;height:100%;font:14px sans-serif}
body{display:flex;flex-direction:column}
#pad{height:150px;overflow:hidden}
#field{flex:1;min-height:60px;resize:none;outline:none;border:none}
#line{display:flex;gap:8px;padding:4px}
#source,#goal{padding:6px 10px;border:1px solid}
"""
_BODY = f"""<div id=pad style="background:{PAINTED}"></div>
<textarea id=field aria-label=Field autocomplete=off spellcheck=false autofocus></textarea>
<div id=line><select id=menu aria-label=Choose>{_OPTIONS}</select>
<button id=button>{PRESS}</button><span id=source draggable=true>take this</span>
<span id=goal>put it here</span><p id=words style="margin:6px">{WORDS}</p></div>"""
_SCRIPT = """
const $ = id => document.getElementById(id), names = ['left', 'middle', 'right']
const parts = ['pad', 'field', 'menu', 'source', 'goal', 'button', 'words']
let got = [], mouse = null
const note = (kind, what) => { got.push([kind, what]) }
const pad = $('pad'), field = $('field')
pad.onmousedown = e => { note(e.detail == 2 ? 'double' : 'press', names[e.button]) }
pad.oncontextmenu = e => e.preventDefault()
pad.onwheel = e => { e.preventDefault(); note('wheel', [e.deltaX, e.deltaY]) }
document.onmousemove = e => { mouse = [e.clientX, e.clientY] }
field.onkeydown = e => {
  const held = [['ctrl', e.ctrlKey], ['alt', e.altKey], ['shift', e.shiftKey]].filter(h => h[1]).map(h => h[0])
  const plain = e.key.length == 1 && !e.ctrlKey && !e.altKey
  if (plain || !held.length || ['Control', 'Alt', 'Shift'].includes(e.key)) return
  const name = [...held, e.key.length == 1 ? e.key.toLowerCase() : e.key].join('+')
  if (name == 'ctrl+v' || name == 'ctrl+a') return
  e.preventDefault(); note('key', name)
}
$('menu').onchange = e => note('chosen', e.target.value)
$('button').onclick = () => note('pressed', 'button')
$('source').ondragstart = e => e.dataTransfer.setData('text/plain', PARCEL)
$('goal').ondragover = e => e.preventDefault()
$('goal').ondrop = e => { e.preventDefault(); note('drop', e.dataTransfer.getData('text/plain')) }
const box = id => { const r = $(id).getBoundingClientRect(); return [r.x, r.y, r.width, r.height] }
const verbs = {
  parts: () => Object.fromEntries(parts.map(id => [id, box(id)])),
  got: () => got, forget: () => { got = [] }, mouse: () => mouse,
  text: () => field.value,
  fill: a => { field.value = a.text; field.setSelectionRange(a.text.length, a.text.length) },
  paint: a => { pad.style.background = a.colour }, say: a => { $('words').textContent = a.words },
  focus: () => { field.focus() },
}
async function go() {
  for (;;) {
    const asked = await (await fetch('/next')).json()
    if (!asked.verb) continue
    const answer = verbs[asked.verb](asked.arguments)
    await fetch('/done', {method: 'POST', body: JSON.stringify(answer === undefined ? null : answer)})
  }
}
$('menu').selectedIndex = -1
field.focus(); go()
"""


def page(title: str) -> str:
    """The page under that title."""
    script = f"const PARCEL = {json.dumps(PARCEL)}\n{_SCRIPT}"
    head = f"<!doctype html><meta charset=utf-8><title>{title}</title><style>{_STYLE}</style>"
    return f"{head}{_BODY}<script>{script}</script>"
