"""Words on what cannot be taken back once pressed: send, pay, delete, publish, install, accept. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

# In a word of these lists `_` stands for a blank. The gate of slated has its own, which the person can add to; these
# hold also when no gate is there.
WORDS: Mapping[str, str] = {
    "en": "send resend submit post reply forward publish share tweet upload pay purchase buy"
    " order checkout subscribe donate transfer withdraw bid book reserve confirm delete"
    " remove erase discard destroy wipe trash uninstall install update upgrade accept agree"
    " consent allow approve authorize authorise grant sign deploy merge push format reset"
    " revoke deactivate terminate unsubscribe invite",
    "de": "senden absenden abschicken versenden antworten weiterleiten veröffentlichen posten"
    " teilen hochladen bezahlen zahlen kaufen bestellen abonnieren spenden überweisen"
    " buchen bestätigen löschen entfernen verwerfen installieren deinstallieren"
    " aktualisieren akzeptieren zustimmen annehmen erlauben genehmigen unterschreiben"
    " formatieren kündigen",
    "fr": "envoyer répondre transférer publier partager payer acheter commander réserver"
    " confirmer supprimer effacer désinstaller installer accepter autoriser approuver"
    " signer valider soumettre formater résilier",
    "es": "enviar responder reenviar publicar compartir pagar comprar pedir reservar confirmar"
    " eliminar borrar descartar instalar desinstalar actualizar aceptar permitir autorizar"
    " aprobar firmar formatear transferir",
    "it": "invia inviare rispondi pubblica condividi paga acquista compra ordina prenota conferma"
    " elimina cancella rimuovi installa disinstalla aggiorna accetta consenti autorizza"
    " approva firma formatta trasferisci",
    "pt": "enviar responder publicar compartilhar pagar comprar encomendar reservar confirmar"
    " excluir eliminar apagar instalar desinstalar atualizar aceitar permitir autorizar"
    " aprovar assinar formatar transferir",
    "hu": "küldés elküldés válasz közzététel megosztás fizetés vásárlás rendelés megrendelés"
    " foglalás megerősítés törlés eltávolítás telepítés frissítés elfogadás elfogadom"
    " engedélyezés aláírás",
    "ru": "отправить ответить опубликовать поделиться оплатить купить заказать подтвердить"
    " удалить установить обновить принять разрешить подписать",
}
WITHOUT_BLANKS = (
    "发送 傳送 提交 发布 付款 支付 购买 下单 删除 卸载 安装 同意 接受 允许 授权 签署 确认 转账"
    " 送信 投稿 公開 購入 注文 削除 アンインストール インストール 更新 承認 許可 署名 確定 보내기 전송 게시"
    " 결제 구매 주문 삭제 설치 동의 수락"
).split()
PRESSED = frozenset(
    "push button|toggle button|link|menu item|check menu item|radio menu item|icon|list item|check box|switch"
    "|push button menu|label|static|image".split("|")
)
"""Roles that do something by being pressed, and those that stand inside them."""

_WHOLE = re.compile(
    r"(?<!\w)(?:"
    + "|".join(
        re.escape(word.replace("_", " ")) for line in WORDS.values() for word in line.split()
    )
    + r")(?!\w)",
    re.IGNORECASE,
)


def risky_word(names: Iterable[str]) -> str | None:
    """The first word of the lists that one of the names holds."""
    for name in names:
        found = _WHOLE.search(name)
        if found is not None:
            return found.group().casefold()
        for word in WITHOUT_BLANKS:
            if word in name:
                return word
    return None
