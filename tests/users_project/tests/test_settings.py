"""tmp_path, monkeypatch, capsys, caplog, in tests with threads and without."""

import logging

import pytest

from depot import settings
from depot.running import in_threads


def test_region(monkeypatch):
    monkeypatch.setenv("DEPOT_REGION", "south")
    assert settings.region() == "south"


def test_report(capsys, catalogue):
    settings.report(catalogue)
    assert capsys.readouterr().out == "coffee: 5\ntea: 3\n"


def test_save_and_load(tmp_path, catalogue):
    settings.save(catalogue, tmp_path / "goods.json")
    assert settings.load(tmp_path / "goods.json") == catalogue


def test_loading_is_logged(tmp_path, caplog):
    settings.save({}, tmp_path / "goods.json")
    with caplog.at_level(logging.INFO, "depot"):
        settings.load(tmp_path / "goods.json")
        settings.load(tmp_path / "goods.json")
    assert caplog.messages == ["reading goods.json"]


@pytest.mark.parametrize(("name", "price"), [("tea", 30), ("coffee", 60)])
def test_price(name, price):
    assert settings.price(name) == price


def test_threads_load_once(tmp_path, caplog):
    (tmp_path / "goods.json").write_text('{"tea": 1}')
    caplog.set_level(logging.INFO, "depot")
    in_threads(*[lambda: settings.load(tmp_path / "goods.json")] * 2)
    assert caplog.messages == ["reading goods.json"]


def test_threads_report(capsys):
    in_threads(*[lambda: settings.report({"tea": 1})] * 2)
    assert sorted(capsys.readouterr().out.replace("\n", "")) == sorted("tea: 1tea: 1")


def test_threads_see_the_environment(monkeypatch):
    monkeypatch.setenv("DEPOT_REGION", "south")
    found = []
    in_threads(*[lambda: found.append(settings.region())] * 2)
    assert found == ["south", "south"]


def test_threads_ask_for_a_price(monkeypatch):
    monkeypatch.setattr(settings, "region", lambda: "nowhere")
    in_threads(*[lambda: settings.price(settings.region())] * 2)
    assert settings.price.cache_info().currsize == 1
