"""Finding the accessibility bus, and saying so when there is none."""

from __future__ import annotations

import anyio
import pytest
from dbus_fast import Message

from slate_desktop.atspi.bus import LISTEN_TO, Bus, BusPlace
from slate_desktop.errors import Unavailable
from tests.fakes.a11y import A11yBus

pytestmark = pytest.mark.anyio


async def test_one_connection_is_kept_and_made_anew_after_a_silence(bus: A11yBus) -> None:
    made = Bus(BusPlace(bus.address))
    first = await made.link()
    assert await made.link() is first
    assert bus.registry.listeners == [LISTEN_TO]
    made.drop(first)
    second = await made.link()
    assert second is not first
    assert second.alive
    made.close()


async def test_r59_the_address_is_asked_from_the_session_bus_and_accessibility_switched_on(
    bus: A11yBus,
) -> None:
    told: list[str] = []

    def answer(message: Message) -> Message | bool:
        if message.member == "GetAddress":
            return Message.new_method_return(message, "s", [bus.address])
        if message.member == "Set":
            told.append(message.body[1])
            return Message.new_method_return(message)
        return False

    service = await bus.connect()
    service.add_message_handler(answer)
    await service.request_name("org.a11y.Bus")
    made = Bus(BusPlace(session_bus=bus.address))
    assert (await made.link()).alive
    assert told == ["IsEnabled", "ScreenReaderEnabled"]
    made.close()


@pytest.mark.parametrize(
    "place",
    [BusPlace(), BusPlace("unix:path=/nonexistent"), BusPlace(None, "unix:path=/nonexistent")],
)
async def test_r59_without_a_bus_there_is_one_clear_code(place: BusPlace) -> None:
    with pytest.raises(Unavailable) as caught:
        await Bus(place).link()
    assert caught.value.code == "unavailable.no_bus"
    assert "desktop_screenshot" in caught.value.next_step


async def test_r59_a_session_bus_that_knows_of_no_accessibility_bus(bus: A11yBus) -> None:
    with pytest.raises(Unavailable) as caught:
        await Bus(BusPlace(session_bus=bus.address)).link()
    assert "at-spi2-core" in caught.value.message


async def test_r69_a_registry_that_does_not_answer_costs_a_second(bus: A11yBus) -> None:
    bus.registry.frozen = True
    with anyio.fail_after(3), pytest.raises(Unavailable) as caught:
        await Bus(BusPlace(bus.address)).link()
    assert caught.value.code == "unavailable.no_bus"
